import { normalizeName } from '../base/text.ts';
import { CHOICE_FIELDS } from '../bugs/values.ts';
import { hashOf } from '../people/repository.ts';
import { MAX_OWN_PARTS_BYTES } from '../products/document.ts';
import { MAX_ITEM_BYTES, sizeOf } from '../table/consumption.ts';
import { namesAt, valuesAt } from './places.ts';
import { type Catalogue, type CatalogueBug, type CatalogueUser, contents, type Problem } from './schema.ts';

/** Reports a validation problem. */
type Report = (path: PropertyKey[], message: string) => void;

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
  checkUnique(all, report);
  checkProducts(all, report);
  checkSizes(all, report);
  const checkBug = bugChecker();
  for (const [b, bug] of all.bugs.entries()) checkBug(bug, ['bugs', b], report);
}

/** Where a bug has ids, by what they are of. */
const IDS_OF_BUG = {
  bug: ['id'],
  comment: ['comments.*.id'],
  attachment: ['attachments.*.id'],
  flag: ['flags.*.id', 'attachments.*.flags.*.id'],
};

/** Validation of bugs, one after the other: duplicates among them, the order of comments, and sizes. */
export function bugChecker(): (bug: CatalogueBug, path: PropertyKey[], report: Report) => void {
  const requireNew = duplicates();
  return (bug, path, report) => {
    for (const [what, places] of Object.entries(IDS_OF_BUG)) {
      for (const one of valuesAt(bug, places, path)) {
        requireNew(report, one.path, [what, one.value], idTwice(one.value));
      }
    }
    for (const alias of namesAt(bug, ['aliases.*'], path)) {
      requireNew(report, alias.path, ['alias', normalizeName(alias.value)]);
    }
    checkLinks(bug, path, report);
    checkCommentTimes(bug, path, report);
    checkBugSizes(bug, path, report);
  };
}

/** The hash of an API key, which a catalogue gives by itself or by its hash. */
export const keyHash = ({ key, key_sha256 }: CatalogueUser['api_keys'][number]): string =>
  key_sha256 ?? hashOf(key ?? '');

const PARTS = ['components', 'versions', 'milestones'] as const;

/** Lists whose elements have distinct names. */
const NAMED = [
  ...['groups.*.name', 'users.*.login', 'users.*.saved_searches.*.name', 'classifications.*.name'],
  ...['keywords.*.name', 'bug_fields.*.name', 'bug_fields.*.values.*.name', 'products.*.name'],
  ...['products.*.group_controls.*.group', 'field_values.bug_status.*.name'],
  ...PARTS.map((kind) => `products.*.${kind}.*.name`),
  ...CHOICE_FIELDS.map((field) => `field_values.${field}.*`),
];

/** Lists whose elements have distinct ids. */
const IDENTIFIED = [
  ...['groups.*.id', 'users.*.id', 'users.*.saved_searches.*.id', 'classifications.*.id'],
  ...['bug_fields.*.id', 'products.*.id', 'products.*.flag_types.*.id'],
];

function checkUnique(all: Catalogue, report: Report): void {
  const requireNew = duplicates();
  for (const { path, value } of namesAt(all, NAMED)) {
    const element = path.slice(0, path.findLastIndex((step) => typeof step === 'number') + 1);
    requireNew(report, element, [element.slice(0, -1), normalizeName(value)]);
  }
  for (const [u, { api_keys }] of all.users.entries()) {
    for (const [k, key] of api_keys.entries()) {
      requireNew(report, ['users', u, 'api_keys', k], ['key', keyHash(key)]);
    }
  }
  for (const [p, { flag_types }] of all.products.entries()) {
    // A flag type for bugs and one for attachments may have the same name, and with ids any may.
    const hasIds = flag_types.every(({ id }) => id !== undefined);
    for (const [f, { id, name, target }] of flag_types.entries()) {
      const key = hasIds ? id : normalizeName(name);
      requireNew(report, ['products', p, 'flag_types', f], ['flag type', p, target, key]);
    }
  }
  for (const { path, value } of valuesAt(all, IDENTIFIED)) {
    requireNew(report, path, ['id', path.slice(0, -2), value], idTwice(value));
  }
  for (const kind of PARTS) {
    for (const { path, value } of valuesAt(all, [`products.*.${kind}.*.id`])) {
      requireNew(report, path, [kind, value], idTwice(value));
    }
  }
}

const idTwice = (id: unknown): string => `the id ${id} appears twice in the file`;

/** Reports what was there before. */
function duplicates() {
  const seen = new Set<string>();
  return (report: Report, path: PropertyKey[], key: unknown[], message = 'appears twice in the file') => {
    const text = JSON.stringify(key);
    if (seen.has(text)) report(path, message);
    seen.add(text);
  };
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

/** What becomes one item each, beside users and products. */
const ITEMS = ['groups.*', 'users.*.api_keys.*', 'classifications.*', 'keywords.*', 'field_values'];

/** Parts of products are stored as JSON. */
function checkSizes(all: Catalogue, report: Report): void {
  for (const { path, value } of valuesAt(all, ITEMS)) checkSize(report, path, value);
  for (const [u, { api_keys: _, saved_searches: __, last_visits: ___, ...user }] of all.users.entries()) {
    checkSize(report, ['users', u], user);
  }
  for (const [p, { components, versions, milestones, flag_types, ...product }] of all.products.entries()) {
    checkSize(report, ['products', p], product, MAX_PRODUCT_BYTES);
    const parts = valuesAt({ components, flag_types }, ['components.*', 'flag_types.*'], ['products', p]);
    for (const { path, value } of parts) checkSize(report, path, JSON.stringify(value));
  }
}

function checkBugSizes(bug: CatalogueBug, path: PropertyKey[], report: Report): void {
  const { comments: _, history: __, attachments: ___, ...own } = bug;
  checkSize(report, path, own);
  for (const one of valuesAt(bug, ['comments.*', 'history.*'], path)) checkSize(report, one.path, one.value);
}

function checkSize(report: Report, path: PropertyKey[], content: unknown, max = MAX_STORED_BYTES): void {
  if (sizeOf(content) > max) report(path, `must be smaller than ${max} bytes`);
}
