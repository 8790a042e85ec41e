import { normalizeName } from '../base/text.ts';
import { hashOf } from '../people/repository.ts';
import { MAX_OWN_PARTS_BYTES } from '../products/document.ts';
import { MAX_ITEM_BYTES, sizeOf } from '../table/consumption.ts';
import { type Catalogue, type CatalogueBug, type CatalogueUser, contents, type Problem } from './schema.ts';

/** Reports a validation problem. */
type Report = (path: PropertyKey[], message: string) => void;

/** Something that must be unique, with its path in the file. */
interface Keyed {
  key: string | number;
  path: PropertyKey[];
}

/** Leaves room for keys, and for the fields that follow from the table. */
const MAX_STORED_BYTES = MAX_ITEM_BYTES - 2_000;
/** A product's own item has some of its parts, too. */
const MAX_PRODUCT_BYTES = MAX_STORED_BYTES - MAX_OWN_PARTS_BYTES;

/**
 * Validates a catalogue.
 *
 * @returns the catalogue, or all validation problems
 */
export function validateCatalogue(given: unknown): { catalogue: Catalogue } | { problems: Problem[] } {
  const parsed = contents.safeParse(given);
  if (!parsed.success) return { problems: parsed.error.issues };
  const problems: Problem[] = [];
  checkReferences(parsed.data, (path, message) => problems.push({ path, message }));
  return problems.length === 0 ? { catalogue: parsed.data } : { problems };
}

/** Validation across the file: duplicates, references inside a product, and sizes. */
function checkReferences(all: Catalogue, report: Report): void {
  checkNames(all, report);
  checkIds(all, report);
  checkProducts(all, report);
  checkSizes(all, report);
  const checkBug = bugChecker();
  for (const [b, bug] of all.bugs.entries()) checkBug(bug, ['bugs', b], report);
}

/** Validation of bugs, one after the other: duplicates among them, the order of comments, and sizes. */
export function bugChecker(): (bug: CatalogueBug, path: PropertyKey[], report: Report) => void {
  const [aliases, ids, commentIds, attachmentIds, flagIds] = Array.from({ length: 5 }, () => new Set());
  return (bug, path, report) => {
    const idOf = ({ id }: { id: number }) => id;
    reportDuplicates([{ key: bug.id, path: [...path, 'id'] }], idTwice, report, ids);
    reportDuplicates(keyed(bug.aliases ?? [], [...path, 'aliases'], normalizeName), TWICE, report, aliases);
    reportDuplicates(keyed(bug.comments, [...path, 'comments'], idOf, 'id'), idTwice, report, commentIds);
    reportDuplicates(
      keyed(bug.attachments ?? [], [...path, 'attachments'], idOf, 'id'),
      idTwice,
      report,
      attachmentIds,
    );
    const flags = [
      ...keyed(bug.flags ?? [], [...path, 'flags'], idOf, 'id'),
      ...(bug.attachments ?? []).flatMap((attachment, a) =>
        keyed(attachment.flags, [...path, 'attachments', a, 'flags'], idOf, 'id'),
      ),
    ];
    reportDuplicates(flags, idTwice, report, flagIds);
    checkLinks(bug, path, report);
    checkCommentTimes(bug, path, report);
    checkBugSizes(bug, path, report);
  };
}

/** The elements of a list that have a key, at a path below it. */
const keyed = <T>(
  list: readonly T[],
  path: PropertyKey[],
  keyOf: (element: T) => string | number | undefined,
  ...field: string[]
): Keyed[] =>
  list.flatMap((element, index) => {
    const key = keyOf(element);
    return key === undefined ? [] : [{ key, path: [...path, index, ...field] }];
  });

/** The hash of an API key, which a catalogue gives by itself or by its hash. */
export const keyHash = ({ key, key_sha256 }: CatalogueUser['api_keys'][number]): string =>
  key_sha256 ?? hashOf(key ?? '');

const PARTS = ['components', 'versions', 'milestones'] as const;

function checkNames(all: Catalogue, report: Report): void {
  const normalizedName = ({ name }: { name: string }) => normalizeName(name);
  // A flag type for bugs and one for attachments may have the same name, and with ids any may.
  const flagTypes = all.products.map(({ flag_types }, p) => {
    const hasIds = flag_types.every(({ id }) => id !== undefined);
    return keyed(flag_types, ['products', p, 'flag_types'], ({ id, name, target }) =>
      hasIds ? `${target} ${id}` : `${target} ${normalizeName(name)}`,
    );
  });
  const lists = [
    ...flagTypes,
    keyed(all.groups, ['groups'], normalizedName),
    keyed(all.users, ['users'], ({ login }) => normalizeName(login)),
    keyed(all.classifications, ['classifications'], normalizedName),
    keyed(all.keywords, ['keywords'], normalizedName),
    ...Object.entries(all.field_values).map(([field, values = []]) =>
      keyed<string | { name: string }>(values, ['field_values', field], (value) =>
        normalizeName(typeof value === 'string' ? value : value.name),
      ),
    ),
    keyed(all.bug_fields, ['bug_fields'], normalizedName),
    ...all.bug_fields.map(({ values = [] }, f) => keyed(values, ['bug_fields', f, 'values'], normalizedName)),
    keyed(all.products, ['products'], normalizedName),
    ...all.products.flatMap((product, p) =>
      PARTS.map((kind) => keyed(product[kind], ['products', p, kind], normalizedName)),
    ),
    ...all.products.map(({ group_controls = [] }, p) =>
      keyed(group_controls, ['products', p, 'group_controls'], ({ group }) => normalizeName(group)),
    ),
    all.users.flatMap(({ api_keys }, u) => keyed(api_keys, ['users', u, 'api_keys'], keyHash)),
    ...all.users.map(({ saved_searches }, u) =>
      keyed(saved_searches, ['users', u, 'saved_searches'], normalizedName),
    ),
  ];
  for (const list of lists) reportDuplicates(list, TWICE, report);
}

function checkIds({ groups, users, classifications, bug_fields, products }: Catalogue, report: Report): void {
  const idOf = ({ id }: { id?: number | undefined }) => id;
  const lists = [
    keyed(groups, ['groups'], idOf, 'id'),
    keyed(users, ['users'], idOf, 'id'),
    keyed(classifications, ['classifications'], idOf, 'id'),
    keyed(bug_fields, ['bug_fields'], idOf, 'id'),
    keyed(products, ['products'], idOf, 'id'),
    ...users.map(({ saved_searches }, u) =>
      keyed(saved_searches, ['users', u, 'saved_searches'], idOf, 'id'),
    ),
    ...PARTS.map((kind) =>
      products.flatMap((product, p) => keyed(product[kind], ['products', p, kind], idOf, 'id')),
    ),
    ...products.map(({ flag_types }, p) => keyed(flag_types, ['products', p, 'flag_types'], idOf, 'id')),
  ];
  for (const list of lists) reportDuplicates(list, idTwice, report);
}

const TWICE = (): string => 'appears twice in the file';
const idTwice = (id: string | number): string => `the id ${id} appears twice in the file`;

function reportDuplicates(
  all: Keyed[],
  messageOf: (key: string | number) => string,
  report: Report,
  seen = new Set<unknown>(),
): void {
  for (const { key, path } of all) {
    if (seen.has(key)) report(path, messageOf(key));
    seen.add(key);
  }
}

function checkProducts({ products }: Catalogue, report: Report): void {
  for (const [p, product] of products.entries()) {
    const components = new Set(product.components.map(({ name }) => name));
    for (const [f, type] of product.flag_types.entries()) {
      for (const [c, name] of (type.components ?? []).entries()) {
        if (components.has(name)) continue;
        report(['products', p, 'flag_types', f, 'components', c], 'is not a component of the product');
      }
    }
    const { default_milestone, milestones } = product;
    const isKnown = milestones.some(({ name }) => name === default_milestone);
    if (default_milestone !== undefined && milestones.length > 0 && !isKnown) {
      report(['products', p, 'default_milestone'], 'is not a milestone of the product');
    }
  }
}

/** A bug does not depend on itself, and is not its own duplicate. */
function checkLinks(
  { id, blocks = [], depends_on = [], dupe_of }: CatalogueBug,
  path: PropertyKey[],
  report: Report,
): void {
  if (id === undefined) return;
  for (const [field, ids] of Object.entries({ blocks, depends_on })) {
    const at = ids.indexOf(id);
    if (at !== -1) report([...path, field, at], 'is the bug itself');
  }
  if (dupe_of === id) report([...path, 'dupe_of'], 'is the bug itself');
}

function checkCommentTimes({ comments }: CatalogueBug, path: PropertyKey[], report: Report): void {
  for (const [c, { creation_time }] of comments.entries()) {
    const previous = comments[c - 1]?.creation_time ?? '';
    if (creation_time < previous) {
      report([...path, 'comments', c, 'creation_time'], 'is before that of the previous comment');
    }
  }
}

/** Each of these becomes one item, but for the parts of products, which are stored as JSON. */
function checkSizes(all: Catalogue, report: Report): void {
  const { check, checkAll } = sizeChecks(report);
  checkAll(all.groups, 'groups');
  checkAll(all.classifications, 'classifications');
  checkAll(all.keywords, 'keywords');
  check(all.field_values, ['field_values']);
  for (const [u, { api_keys, saved_searches: _, last_visits: __, ...user }] of all.users.entries()) {
    check(user, ['users', u]);
    checkAll(api_keys, 'users', u, 'api_keys');
  }
  for (const [p, { components, versions, milestones, flag_types, ...product }] of all.products.entries()) {
    check(product, ['products', p], MAX_PRODUCT_BYTES);
    const asJson = (parts: readonly object[]) => parts.map((part) => JSON.stringify(part));
    checkAll(asJson(components), 'products', p, 'components');
    checkAll(asJson(flag_types), 'products', p, 'flag_types');
  }
}

function checkBugSizes(
  { comments, history, attachments: _, ...bug }: CatalogueBug,
  path: PropertyKey[],
  report: Report,
): void {
  const { check, checkAll } = sizeChecks(report);
  check(bug, path);
  checkAll(comments, ...path, 'comments');
  checkAll(history, ...path, 'history');
}

function sizeChecks(report: Report) {
  const check = (content: unknown, path: PropertyKey[], max = MAX_STORED_BYTES) => {
    if (sizeOf(content) > max) report(path, `must be smaller than ${max} bytes`);
  };
  const checkAll = (list: readonly unknown[], ...path: PropertyKey[]) => {
    for (const [index, content] of list.entries()) check(content, [...path, index]);
  };
  return { check, checkAll };
}
