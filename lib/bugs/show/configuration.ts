import { bit } from '../../base/collections.ts';
import {
  availableTypes,
  type FlagTypeItem,
  type ProductWithParts,
  type ReleaseItem,
} from '../../products/schema.ts';
import type { BugField } from '../fields/field.ts';
import { kindOf } from '../fields/kinds.ts';
import type { KeywordItem } from '../schema.ts';
import type { ChoiceField } from '../values.ts';
import type { StatusRow } from '../workflow.ts';
import { pageTitle } from './field-titles.ts';
import { element, emptyTag, openTag } from './xml.ts';

/** What `config.cgi` tells of a deployment. */
export interface Configuration {
  statuses: readonly Pick<StatusRow, 'name' | 'is_open'>[];
  /** the legal values of a field; the resolution of open bugs, '', first */
  values: (field: ChoiceField) => readonly string[];
  keywords: readonly KeywordItem[];
  classifications: readonly { name: string; description: string }[];
  /** with their parts in order */
  products: readonly ProductWithParts[];
  /** the custom ones first */
  fields: readonly BugField[];
  hasFlags: boolean;
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

const namesOf = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name);

type Lists = Readonly<Record<string, readonly string[]>>;

/** The lists of statuses, by the names of 5.2. */
const statusLists = ({ statuses }: Configuration): Lists => ({
  status: namesOf(statuses),
  status_open: namesOf(statuses.filter((one) => one.is_open)),
  status_closed: namesOf(statuses.filter((one) => !one.is_open)),
});

/** The values of the custom fields that have a list of them. */
const selects = ({ fields }: Configuration): Lists =>
  Object.fromEntries(
    fields
      .filter((field) => kindOf(field).hasValues)
      .flatMap(({ name, custom }) => (custom === undefined ? [] : [[name, namesOf(custom.values)]])),
  );

/** The flag types of a component, of bugs and attachments. */
export const activeFlagTypes = ({ flagTypes }: ProductWithParts, component: number): FlagTypeItem[] =>
  (['bug', 'attachment'] as const)
    .flatMap((target) => availableTypes(flagTypes, target, component))
    .filter((type) => type.is_active);

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
const jsObject = (given: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(given).map(([name, text]) => `${name}: ${js(text)}`);
  return `{ ${pairs.join(', ')} }`;
};
const jsObjects = (all: readonly Readonly<Record<string, string>>[]): string =>
  `[\n${all.map((one) => `  ${jsObject(one)}`).join(',\n')}\n]`;
const variables = (all: Readonly<Record<string, string>>): string[] =>
  Object.entries(all).map(([name, value]) => `var ${name} = ${value};`);
const listVariables = (lists: Lists): string[] =>
  Object.entries(lists).flatMap(([name, all]) => variables({ [name]: jsList(all) }));

/** The configuration as a script that sets variables. */
export function configurationJs(
  all: Configuration,
  { base, maintainer }: Record<'base' | 'maintainer', string>,
): string {
  const keywords = all.keywords.map(({ name, description }) => ({ name, description }));
  return [
    ...variables({ installation: jsObject({ base_url: base, install_version: VERSION, maintainer }) }),
    ...listVariables({
      ...statusLists(all),
      resolution: all.values('resolution'),
      keyword: namesOf(keywords),
    }),
    ...variables({ keyword_descs: jsObjects(keywords) }),
    ...listVariables({ platform: all.values('platform'), severity: all.values('severity'), ...selects(all) }),
    ...['component', 'version', 'target_milestone'].flatMap((name) => variables({ [name]: 'new Object()' })),
    ...all.products.flatMap(({ product, components, versions, milestones }) =>
      Object.entries({ component: components, version: versions, target_milestone: milestones }).map(
        ([of, parts]) => `${of}[${js(product.name)}] = ${jsList(namesOf(parts))};`,
      ),
    ),
    ...variables({ product_exceptions: 'new Array()', component_exceptions: 'new Array()' }),
    ...variables({ field: jsObjects(all.fields.map(describedField)), ...FORMER_NAMES }),
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
function describedField(field: BugField): Record<string, string> {
  const { name, custom, type } = field;
  const described = { name, description: pageTitle(field) };
  if (custom === undefined) return described;
  const typed = { type: String(type), type_desc: TYPES.get(type) ?? '' };
  return { ...described, ...typed, enter_bug: bit(custom.is_on_bug_entry) };
}

/** Fields that parameters of Bugzilla turn on; here they are. */
const SWITCHED: ReadonlySet<string> = new Set([
  ...['classification', 'target_milestone', 'qa_contact', 'status_whiteboard', 'see_also'],
]);
const uri = (given: string): string => encodeURIComponent(given.toWellFormed());

const texts = (all: Readonly<Record<string, string>>): string[] =>
  Object.entries(all).map(([name, text]) => element(`bz:${name}`, text));
const list = <T>(name: string, items: readonly T[], show: (item: T) => string): string =>
  `<bz:${name}><Seq>${items.map(show).join('\n')}</Seq></bz:${name}>`;
const plain = (lists: Lists): string[] =>
  Object.entries(lists).map(([name, values]) => list(name, values, (value) => element('li', value)));

const stateOf = ({ name, is_active }: ReleaseItem) => ({ name, is_active: bit(is_active) });

/** The configuration as RDF. */
export function configurationRdf(
  all: Configuration,
  { base, maintainer }: Record<'base' | 'maintainer', string>,
): string {
  const resource = (address: string) => emptyTag('li', { resource: `${base}${address}` });
  const about = (name: string, address: string, content: Record<string, string>, ...more: string[]) => {
    const start = openTag(`bz:${name}`, { 'rdf:about': `${base}${address}` });
    return `<li>${start}${[...texts(content), ...more].join('\n')}</bz:${name}></li>`;
  };
  const addressOf = (kind: string, { name }: { name: string }, { product }: ProductWithParts) =>
    `${kind}.cgi?name=${uri(name)}&product=${uri(product.name)}`;
  const flagAddress = ({ id, name }: FlagTypeItem) => `flag.cgi?id=${id}&name=${uri(name)}`;
  const flagTypes = (types: readonly FlagTypeItem[], show: (type: FlagTypeItem) => string) =>
    all.hasFlags ? [list('flag_types', types, show)] : [];
  const components = all.products.flatMap((of) =>
    of.components.map((part) => ({ part, of, types: activeFlagTypes(of, part.id) })),
  );
  const types = new Map(components.flatMap((one) => one.types.map((type) => [type.id, type])));
  const parts = (kind: string, of: 'versions' | 'milestones') => {
    const found = all.products.flatMap((product) => product[of].map((part) => ({ part, product })));
    return list(`${kind}s`, found, ({ part, product }) =>
      about(kind, addressOf(kind.replace('target_', ''), part, product), stateOf(part)),
    );
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    openTag('RDF', {
      xmlns: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
      'xmlns:rdf': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
      'xmlns:bz': 'http://www.bugzilla.org/rdf#',
    }),
    openTag('bz:installation', { 'rdf:about': base }),
    ...texts({ install_version: VERSION, maintainer }),
    ...plain({ ...statusLists(all), resolution: all.values('resolution') }),
    list('keywords', all.keywords, ({ name, description }) =>
      about('keyword', `keyword.cgi?name=${uri(name)}`, { name, description }),
    ),
    ...(['platform', 'op_sys', 'priority', 'severity'] as const).flatMap((name) =>
      plain({ [name]: all.values(name) }),
    ),
    ...plain(selects(all)),
    list('classifications', all.classifications, ({ name, description }) =>
      about('classification', `classification.cgi?name=${uri(name)}`, { name, description, sortkey: '0' }),
    ),
    list('products', all.products, (of) => {
      const { name, has_unconfirmed, classification } = of.product;
      return about(
        'product',
        `product.cgi?name=${uri(name)}`,
        { name, allows_unconfirmed: bit(has_unconfirmed), classification },
        list('components', of.components, (one) => resource(addressOf('component', one, of))),
        list('versions', of.versions, (one) => resource(addressOf('version', one, of))),
        list('target_milestones', of.milestones, (one) => resource(addressOf('milestone', one, of))),
      );
    }),
    list('components', components, (one) =>
      about(
        'component',
        addressOf('component', one.part, one.of),
        stateOf(one.part),
        ...flagTypes(one.types, (type) => resource(flagAddress(type))),
      ),
    ),
    parts('version', 'versions'),
    parts('target_milestone', 'milestones'),
    ...flagTypes([...types.values()], (type) =>
      about('flag_type', flagAddress(type), {
        ...{ id: String(type.id), name: type.name, description: type.description, type: type.target },
        ...{ requestable: bit(type.is_requestable), specifically_requestable: bit(type.is_requesteeble) },
        multiplicable: bit(type.is_multiplicable),
      }),
    ),
    list('fields', all.fields, (field) =>
      about('field', `field.cgi?name=${uri(field.name)}`, {
        ...describedField(field),
        ...(SWITCHED.has(field.name) ? { is_active: '1' } : {}),
      }),
    ),
    '</bz:installation></RDF>',
    '',
  ].join('\n');
}
