import { normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import { type Caller, isInGroup, RIGHTS, requireUser, type User } from '../people/caller.ts';
import { type PartKind, partNamed } from './parts.ts';
import { hasRight, isOfType, requireAccessible } from './permissions.ts';
import type { ProductRepository } from './repository.ts';
import {
  type ComponentItem,
  PRODUCT_RIGHTS,
  type ProductIndexEntry,
  type ProductWithParts,
  productIndexEntry,
  type ReleaseItem,
} from './schema.ts';

/** All products are read together for what belongs to several of them. */
const MAX_LISTED_PRODUCTS = 1_000;
/** Names with slashes are rare: the path could be split at each of them. */
export const MAX_SLASHES = 10;

/** Requires the right to edit some product, before it is looked at which one is meant. @returns the user */
export async function requireEditor(
  products: Pick<ProductRepository, 'index'>,
  caller: Caller,
): Promise<User> {
  const user = requireUser(caller);
  const { group, allows } = RIGHTS.editComponents;
  if (isInGroup(caller, group)) return user;
  for await (const page of products.index()) {
    const isEditor = page.some(
      (one) => one.editors?.some((name) => isInGroup(caller, name)) && isOfType(one, 'accessible', caller),
    );
    if (isEditor) return user;
  }
  throw errors.notAuthorized(group, allows);
}

/** The rights that a caller has for the product with a name; for one that is not accessible, none. */
export async function rightsIn(
  products: Pick<ProductRepository, 'index' | 'byId'>,
  name: string,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const isMeant = (one: ProductIndexEntry) =>
    normalizeName(one.name) === normalizeName(trim(name)) && isOfType(one, 'accessible', caller);
  for await (const page of products.index()) {
    const entry = page.find(isMeant);
    if (entry === undefined) continue;
    const product = await products.byId(entry.id);
    return new Set(PRODUCT_RIGHTS.filter((right) => hasRight(caller, right, product)));
  }
  return new Set();
}

/** All products with their parts: those to which the caller has access, and the others. */
export interface AllProducts {
  accessible: ProductWithParts[];
  hidden: ProductWithParts[];
}

const isAccessibleTo =
  (caller: Caller) =>
  ({ product }: ProductWithParts): boolean =>
    isOfType(productIndexEntry(product), 'accessible', caller);

/** Reads all products, up to 1,000. */
export async function readAllProducts(products: ProductRepository, caller: Caller): Promise<AllProducts> {
  const all: ProductWithParts[] = [];
  for await (const page of products.index()) {
    if (all.length + page.length > MAX_LISTED_PRODUCTS) {
      throw errors.requestTooLarge(`at most ${MAX_LISTED_PRODUCTS} products; use the catalogue`);
    }
    all.push(...(await products.allWithParts(page.map(({ id }) => id))));
  }
  const isAccessible = isAccessibleTo(caller);
  return { accessible: all.filter(isAccessible), hidden: all.filter((one) => !isAccessible(one)) };
}

/** A part of a product. */
export interface FoundPart<T> {
  product: ProductWithParts;
  part: T;
}

/** The product with a name, if it is accessible to the caller. */
export async function requireProduct(
  products: ProductRepository,
  given: string,
  caller: Caller,
): Promise<ProductWithParts> {
  const name = trim(given);
  const id = (await products.idsByName([name])).get(normalizeName(name));
  return requireAccessible(id === undefined ? undefined : await products.withParts(id), name, caller);
}

/** The part of a product that a request names, in any case. @throws BugzillaError also where it leaves out one of both names */
export async function requirePart<T extends ReleaseItem>(
  products: ProductRepository,
  named: { product: string; name: string },
  caller: Caller,
  { name: kind, partsOf }: PartKind<T>,
): Promise<FoundPart<T>> {
  if (trim(named.product) === '') throw errors.parameterMissing('product');
  if (trim(named.name) === '') throw errors.parameterMissing(kind);
  const product = await requireProduct(products, named.product, caller);
  const part = partNamed(partsOf(product), trim(named.name));
  if (part === undefined) throw errors.valueUnknown(kind, named.name);
  return { product, part };
}

/**
 * The part that a path names: `<product>/<name>`. Either may have slashes, because API Gateway decodes the path: the longest
 * name of a product that has the rest is meant.
 */
export async function requirePartOfPath<T extends ReleaseItem>(
  products: ProductRepository,
  path: string,
  caller: Caller,
  { name: kind, partsOf }: PartKind<T>,
): Promise<FoundPart<T>> {
  const segments = path.split('/');
  const [shortest = ''] = segments;
  if (segments.length > MAX_SLASHES) throw errors.productAccessDenied(shortest);
  const splits = segments.slice(1).map((_, index) => {
    const at = segments.length - 1 - index;
    return { product: trim(segments.slice(0, at).join('/')), name: trim(segments.slice(at).join('/')) };
  });
  const ids = await products.idsByName(splits.map(({ product }) => product));
  const found = (await products.allWithParts([...ids.values()])).filter(isAccessibleTo(caller));
  const known = splits.flatMap((split) => {
    const product = found.find((one) => normalizeName(one.product.name) === normalizeName(split.product));
    const { name } = split;
    return product === undefined ? [] : [{ product, name, part: partNamed(partsOf(product), name) }];
  });
  const match = known.find(({ part }) => part !== undefined);
  if (match?.part !== undefined) return { product: match.product, part: match.part };
  const [unknown] = known;
  throw unknown === undefined
    ? errors.productAccessDenied(shortest)
    : errors.valueUnknown(kind, unknown.name);
}

/** What somebody does in a component whose login one of its attributes has. */
const DUTIES = [
  ['default_assigned_to', 'default assignee'],
  ['default_qa_contact', 'default QA contact'],
  ['default_cc', 'default CC'],
] as const;

/** What a user does in a component, or for a flag type, by the name of the product. */
export interface Duty {
  product: string;
  component?: string;
  flag_type?: string;
  as: (typeof DUTIES)[number][1] | 'CC of a flag type';
}

/** What a user does in the components and for the flag types of a product. */
export function dutiesIn({ product, components, flagTypes }: ProductWithParts, login: string): Duty[] {
  const isTheirs = (other: string) => normalizeName(other) === normalizeName(login);
  const inComponent = (one: ComponentItem): Duty['as'][] =>
    DUTIES.flatMap(([name, duty]) => ([one[name] ?? []].flat().some(isTheirs) ? duty : []));
  return [
    ...components.flatMap((one) =>
      inComponent(one).map((as): Duty => ({ product: product.name, component: one.name, as })),
    ),
    ...flagTypes
      .filter(({ cc_list }) => cc_list.some(isTheirs))
      .map(({ name }): Duty => ({ product: product.name, flag_type: name, as: 'CC of a flag type' })),
  ];
}
