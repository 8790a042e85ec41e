import type { FlagTypeItem } from '../../products/schema.ts';
import type { BugField } from '../fields/field.ts';
import type { KeywordItem } from '../schema.ts';
import type { StatusRow } from '../workflow.ts';
import { pageTitle } from './field-titles.ts';
import { element, emptyTag, openTag } from './xml.ts';

interface Part {
  name: string;
  isActive: boolean;
}

/** What `config.cgi` tells of a deployment. */
export interface Configuration {
  statuses: readonly Pick<StatusRow, 'name' | 'is_open'>[];
  /** that of open bugs, '', first */
  resolution: readonly string[];
  keywords: readonly KeywordItem[];
  platform: readonly string[];
  op_sys: readonly string[];
  priority: readonly string[];
  severity: readonly string[];
  /** custom fields that have a list of values */
  selects: readonly { name: string; values: readonly string[] }[];
  classifications: readonly { name: string; description: string }[];
  products: readonly {
    name: string;
    allowsUnconfirmed: boolean;
    classification: string;
    components: readonly (Part & { flagTypes: readonly FlagTypeItem[] })[];
    versions: readonly Part[];
    milestones: readonly Part[];
  }[];
  /** the custom ones first */
  fields: readonly BugField[];
  hasFlags: boolean;
}

/** The installation. */
interface Installation {
  base: string;
  maintainer: string;
}

const VERSION = '5.2';
const TYPES: ReadonlyMap<number, string> = new Map([
  [0, 'Unknown Type'],
  [1, 'Free Text'],
  [2, 'Drop Down'],
  [3, 'Multiple-Selection Box'],
  [4, 'Large Text Box'],
  [5, 'Date/Time'],
  [6, 'Bug ID'],
  [9, 'Date'],
  [10, 'Integer'],
]);

const hex = (character: string): string => {
  const code = character.charCodeAt(0);
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
};
/** A text as JavaScript, also where a page has it in a script. */
const js = (given: string): string =>
  `'${given
    .replaceAll(/[\\'"/]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll(/[\p{Cc}<>@\u2028\u2029]/gu, hex)}'`;
const jsList = (all: readonly string[]): string => `[ ${all.map(js).join(', ')} ]`;

/** The configuration as a script that sets variables. */
export function configurationJs(all: Configuration, { base, maintainer }: Installation): string {
  const names = (isOpen: boolean) =>
    all.statuses.filter((one) => one.is_open === isOpen).map(({ name }) => name);
  const variable = (name: string, value: string) => `var ${name} = ${value};`;
  const objects = (list: readonly (readonly (readonly [string, string])[])[]) =>
    `[\n${list.map((pairs) => `  { ${pairs.map(([name, text]) => `${name}: ${js(text)}`).join(', ')} }`).join(',\n')}\n]`;
  return [
    variable(
      'installation',
      `{ base_url: ${js(base)}, install_version: ${js(VERSION)}, maintainer: ${js(maintainer)} }`,
    ),
    variable('status', jsList(all.statuses.map(({ name }) => name))),
    variable('status_open', jsList(names(true))),
    variable('status_closed', jsList(names(false))),
    variable('resolution', jsList(all.resolution)),
    variable('keyword', jsList(all.keywords.map(({ name }) => name))),
    variable(
      'keyword_descs',
      objects(
        all.keywords.map(({ name, description }) => [
          ['name', name],
          ['description', description],
        ]),
      ),
    ),
    variable('platform', jsList(all.platform)),
    variable('severity', jsList(all.severity)),
    ...all.selects.map(({ name, values }) => variable(name, jsList(values))),
    ...['component', 'version', 'target_milestone'].map((name) => variable(name, 'new Object()')),
    ...all.products.flatMap(({ name, components, versions, milestones }) =>
      [
        ['component', components] as const,
        ['version', versions] as const,
        ['target_milestone', milestones] as const,
      ].map(([of, parts]) => `${of}[${js(name)}] = ${jsList(parts.map((part) => part.name))};`),
    ),
    variable('product_exceptions', 'new Array()'),
    variable('component_exceptions', 'new Array()'),
    variable('field', objects(all.fields.map((field) => describedField(field)))),
    ...Object.entries(FORMER_NAMES).map(([former, name]) => variable(former, name)),
    '',
  ].join('\n');
}

/** Names of variables that 5.2 keeps for old programs. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  bugzilla: 'installation.base_url',
  statuses: 'status',
  statuses_resolved: 'status_closed',
  resolutions: 'resolution',
  keywords: 'keyword',
  platforms: 'platform',
  severities: 'severity',
  cpts: 'component',
  vers: 'version',
  tms: 'target_milestone',
};

/** What is said of a field; more of a custom one. */
function describedField(field: BugField): [string, string][] {
  const described: [string, string][] = [
    ['name', field.name],
    ['description', pageTitle(field)],
  ];
  if (field.custom === undefined) return described;
  return [
    ...described,
    ['type', String(field.type)],
    ['type_desc', TYPES.get(field.type) ?? ''],
    ['enter_bug', field.custom.is_on_bug_entry ? '1' : '0'],
  ];
}

/** Fields that parameters of Bugzilla turn on; here they are. */
const SWITCHED: ReadonlySet<string> = new Set([
  ...['classification', 'target_milestone', 'qa_contact', 'status_whiteboard', 'see_also'],
]);
const bit = (given: boolean): string => (given ? '1' : '0');
const uri = (given: string): string => encodeURIComponent(given.toWellFormed());

/** The configuration as RDF. */
export function configurationRdf(all: Configuration, { base, maintainer }: Installation): string {
  const bz = (name: string, text: string) => element(`bz:${name}`, text);
  const listOf = (name: string, items: readonly string[]) =>
    `<bz:${name}><Seq>${items.join('\n')}</Seq></bz:${name}>`;
  const plain = (name: string, values: readonly string[]) =>
    listOf(
      name,
      values.map((value) => element('li', value)),
    );
  const resource = (address: string) => emptyTag('li', { resource: `${base}${address}` });
  const about = (name: string, address: string, content: readonly string[]) =>
    `<li>${openTag(`bz:${name}`, { 'rdf:about': `${base}${address}` })}${content.join('\n')}</bz:${name}></li>`;
  const addressOf = (kind: string, name: string, product: string) =>
    `${kind}.cgi?name=${uri(name)}&product=${uri(product)}`;
  const flagAddress = ({ id, name }: FlagTypeItem) => `flag.cgi?id=${id}&name=${uri(name)}`;
  const flagTypes = (types: readonly FlagTypeItem[]) =>
    all.hasFlags
      ? [
          listOf(
            'flag_types',
            types.map((type) => resource(flagAddress(type))),
          ),
        ]
      : [];
  const parts = (name: string, kind: string, of: 'versions' | 'milestones') =>
    listOf(
      name,
      all.products.flatMap((product) =>
        product[of].map((part) =>
          about(kind, addressOf(kind.replace('target_', ''), part.name, product.name), [
            bz('name', part.name),
            bz('is_active', bit(part.isActive)),
          ]),
        ),
      ),
    );
  const types = new Map(
    all.products.flatMap(({ components }) =>
      components.flatMap((component) => component.flagTypes.map((type) => [type.id, type] as const)),
    ),
  );
  const products = all.products.map(({ name, allowsUnconfirmed, classification, ...own }) =>
    about('product', `product.cgi?name=${uri(name)}`, [
      bz('name', name),
      bz('allows_unconfirmed', bit(allowsUnconfirmed)),
      bz('classification', classification),
      listOf(
        'components',
        own.components.map((one) => resource(addressOf('component', one.name, name))),
      ),
      listOf(
        'versions',
        own.versions.map((one) => resource(addressOf('version', one.name, name))),
      ),
      listOf(
        'target_milestones',
        own.milestones.map((one) => resource(addressOf('milestone', one.name, name))),
      ),
    ]),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    openTag('RDF', {
      xmlns: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
      'xmlns:rdf': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
      'xmlns:bz': 'http://www.bugzilla.org/rdf#',
    }),
    openTag('bz:installation', { 'rdf:about': base }),
    bz('install_version', VERSION),
    bz('maintainer', maintainer),
    plain(
      'status',
      all.statuses.map(({ name }) => name),
    ),
    ...[true, false].map((isOpen) =>
      plain(
        isOpen ? 'status_open' : 'status_closed',
        all.statuses.filter((one) => one.is_open === isOpen).map(({ name }) => name),
      ),
    ),
    plain('resolution', all.resolution),
    listOf(
      'keywords',
      all.keywords.map(({ name, description }) =>
        about('keyword', `keyword.cgi?name=${uri(name)}`, [bz('name', name), bz('description', description)]),
      ),
    ),
    ...(['platform', 'op_sys', 'priority', 'severity'] as const).map((name) => plain(name, all[name])),
    ...all.selects.map(({ name, values }) => plain(name, values)),
    listOf(
      'classifications',
      all.classifications.map(({ name, description }) =>
        about('classification', `classification.cgi?name=${uri(name)}`, [
          ...[bz('name', name), bz('description', description), bz('sortkey', '0')],
        ]),
      ),
    ),
    listOf('products', products),
    listOf(
      'components',
      all.products.flatMap(({ name, components }) =>
        components.map((one) =>
          about('component', addressOf('component', one.name, name), [
            ...[bz('name', one.name), bz('is_active', bit(one.isActive)), ...flagTypes(one.flagTypes)],
          ]),
        ),
      ),
    ),
    parts('versions', 'version', 'versions'),
    parts('target_milestones', 'target_milestone', 'milestones'),
    ...(all.hasFlags
      ? [
          listOf(
            'flag_types',
            [...types.values()].map((type) =>
              about('flag_type', flagAddress(type), [
                ...[bz('id', String(type.id)), bz('name', type.name), bz('description', type.description)],
                ...[bz('type', type.target), bz('requestable', bit(type.is_requestable))],
                bz('specifically_requestable', bit(type.is_requesteeble)),
                bz('multiplicable', bit(type.is_multiplicable)),
              ]),
            ),
          ),
        ]
      : []),
    listOf(
      'fields',
      all.fields.map((field) =>
        about('field', `field.cgi?name=${uri(field.name)}`, [
          ...describedField(field).map(([name, text]) => bz(name, text)),
          ...(SWITCHED.has(field.name) ? [bz('is_active', '1')] : []),
        ]),
      ),
    ),
    '</bz:installation></RDF>',
    '',
  ].join('\n');
}
