import { MAX_ITEM_BYTES, sizeOf } from '../dynamodb/item-size.ts';
import { MAX_OWN_PARTS_BYTES } from '../products/document.ts';
import { normalizeName } from '../text.ts';
import { hashOf } from '../users/repository.ts';
import { fingerprintOf } from './bug-source-repository.ts';
import type { Catalogue } from './schema.ts';

/** Reports a wrong place. */
type Report = (path: PropertyKey[], message: string) => void;

/** Something that must be unique, with its place in the file. */
interface Place {
  key: string;
  path: PropertyKey[];
}

/** Leaves room for keys, and for the fields that follow from the table. */
const MAX_BYTES = MAX_ITEM_BYTES - 2_000;
/** A product's own item has some of its parts, too. */
const MAX_PRODUCT_BYTES = MAX_BYTES - MAX_OWN_PARTS_BYTES;

/** Validation across the file: duplicates, references inside a product, and sizes. */
export function checkReferences(all: Catalogue, report: Report): void {
  checkNames(all, report);
  checkIds(all, report);
  checkProducts(all, report);
  checkCommentTimes(all, report);
  checkSizes(all, report);
}

function checkNames(all: Catalogue, report: Report): void {
  const named = (list: readonly { name: string }[], ...path: PropertyKey[]) =>
    list.map(({ name }, index): Place => ({ key: normalizeName(name), path: [...path, index] }));
  const aliases = all.bugs.flatMap((bug, b) =>
    (bug.aliases ?? []).map((alias, a) => ({ key: normalizeName(alias), path: ['bugs', b, 'aliases', a] })),
  );
  const keys = all.users.flatMap(({ api_keys }, u) =>
    api_keys.map(({ key, key_sha256 }, k) => ({
      key: key_sha256 ?? hashOf(key ?? ''),
      path: ['users', u, 'api_keys', k],
    })),
  );
  // A flag type for bugs and one for attachments may have the same name, and with ids any may.
  const flagTypes = all.products.flatMap((product, p) => {
    const hasId = product.flag_types.every(({ id }) => id !== undefined);
    return product.flag_types.map(({ id, name, target }, f): Place => {
      const distinct = hasId ? id : normalizeName(name);
      return { key: `${p} ${target} ${distinct}`, path: ['products', p, 'flag_types', f] };
    });
  });
  const sources = all.bugs.flatMap((bug, b): Place[] =>
    bug.id === undefined ? [{ key: fingerprintOf(bug), path: ['bugs', b] }] : [],
  );
  const lists = [
    flagTypes,
    sources,
    named(all.groups, 'groups'),
    all.users.map(({ login }, index) => ({ key: normalizeName(login), path: ['users', index] })),
    named(all.classifications, 'classifications'),
    named(all.keywords, 'keywords'),
    named(all.products, 'products'),
    ...all.products.flatMap((product, p) => PARTS.map((part) => named(product[part], 'products', p, part))),
    aliases,
    keys,
  ];
  for (const list of lists) reportDuplicates(list, () => 'appears twice in the file', report);
}

const PARTS = ['components', 'versions', 'milestones'] as const;

function checkIds(all: Catalogue, report: Report): void {
  const identified = (list: readonly { id?: number | undefined }[], ...path: PropertyKey[]) =>
    list.flatMap(({ id }, index): Place[] =>
      id === undefined ? [] : [{ key: String(id), path: [...path, index, 'id'] }],
    );
  const lists = [
    identified(all.groups, 'groups'),
    identified(all.users, 'users'),
    identified(all.products, 'products'),
    ...PARTS.map((part) =>
      all.products.flatMap((product, p) => identified(product[part], 'products', p, part)),
    ),
    ...all.products.map((product, p) => identified(product.flag_types, 'products', p, 'flag_types')),
    identified(all.bugs, 'bugs'),
    all.bugs.flatMap((bug, b) => identified(bug.comments, 'bugs', b, 'comments')),
  ];
  for (const list of lists) reportDuplicates(list, (id) => `the id ${id} appears twice in the file`, report);
}

function reportDuplicates(places: Place[], messageOf: (key: string) => string, report: Report): void {
  const seen = new Set<string>();
  for (const { key, path } of places) {
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

function checkCommentTimes({ bugs }: Catalogue, report: Report): void {
  for (const [b, { comments }] of bugs.entries()) {
    for (const [c, { creation_time }] of comments.entries()) {
      const previous = comments[c - 1]?.creation_time ?? '';
      if (creation_time < previous) {
        report(['bugs', b, 'comments', c, 'creation_time'], 'is before that of the previous comment');
      }
    }
  }
}

/** Each of these becomes one item, but for the parts of products, which are stored as JSON. */
function checkSizes(all: Catalogue, report: Report): void {
  const check = (content: unknown, path: PropertyKey[], max = MAX_BYTES) => {
    if (sizeOf(content) > max) report(path, `must be smaller than ${max} bytes`);
  };
  const checkAll = (list: readonly unknown[], ...path: PropertyKey[]) => {
    for (const [index, content] of list.entries()) check(content, [...path, index]);
  };
  checkAll(all.groups, 'groups');
  checkAll(all.classifications, 'classifications');
  checkAll(all.keywords, 'keywords');
  check(all.field_values, ['field_values']);
  for (const [u, { api_keys, ...user }] of all.users.entries()) {
    check(user, ['users', u]);
    checkAll(api_keys, 'users', u, 'api_keys');
  }
  for (const [p, { components, versions, milestones, flag_types, ...product }] of all.products.entries()) {
    check(product, ['products', p], MAX_PRODUCT_BYTES);
    const asJson = (parts: readonly object[]) => parts.map((part) => JSON.stringify(part));
    checkAll(asJson(components), 'products', p, 'components');
    checkAll(asJson(flag_types), 'products', p, 'flag_types');
  }
  for (const [b, { comments, history, ...bug }] of all.bugs.entries()) {
    check(bug, ['bugs', b]);
    checkAll(comments, 'bugs', b, 'comments');
    checkAll(history, 'bugs', b, 'history');
  }
}
