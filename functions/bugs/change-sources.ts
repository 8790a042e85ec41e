import { type BugDrafts, distinctNames } from '../../lib/bugs/drafts.ts';
import { checkDependencies, checkDuplicates } from '../../lib/bugs/loops.ts';
import { isVisible, requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import type { BugUpdate, ListUpdate, UpdateSources } from '../../lib/bugs/update/bug-update.ts';
import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { isOfType } from '../../lib/products/permissions.ts';
import { type ProductWithParts, productIndexEntry } from '../../lib/products/schema.ts';
import { normalizeName } from '../../lib/text.ts';
import type { Caller } from '../../lib/users/caller.ts';
import { findBugs } from './get-bugs.ts';
import type { BugServices } from './services.ts';

/** The parts of a request that name other things: users, keywords, bugs. */
type Naming = Pick<
  BugUpdate,
  'assigned_to' | 'qa_contact' | 'cc' | 'keywords' | 'blocks' | 'depends_on' | 'dupe_of' | 'see_also'
>;

const namesIn = (...lists: (ListUpdate | undefined)[]): string[] =>
  distinctNames(
    lists.flatMap((list) => [...(list?.add ?? []), ...(list?.set ?? []), ...(list?.remove ?? [])]),
  );

/** The users that a request names, and others, by normalized login. */
export const readUsers = (
  { assigned_to = '', qa_contact = '', cc }: Naming,
  others: readonly string[],
  { users }: Pick<BugServices, 'users'>,
) => users.byLogins([...[assigned_to, qa_contact].map((login) => login.trim()), ...namesIn(cc), ...others]);

/** The keywords that a request names, by normalized name. */
export const readKeywords = ({ keywords }: Naming, { bugSettings }: Pick<BugServices, 'bugSettings'>) =>
  bugSettings.keywordsByName(namesIn(keywords));

/**
 * Reads the bugs that a request names beside those that it changes.
 *
 * @returns their ids by normalized name
 * @throws errors of 100 to 102 for a bug that does not exist or that the caller may not see; those that are only to be
 * removed need not exist
 */
export async function readNamedBugs(
  naming: Naming,
  drafts: BugDrafts,
  caller: Caller,
  services: Pick<BugServices, 'bugs'>,
): Promise<Map<string, number>> {
  const { blocks, depends_on, dupe_of, see_also } = naming;
  const numbered = (see_also?.add ?? []).flatMap(
    (given) => /^\s*(\d+)\s*$|show_bug\.cgi\?id=(\d+)$/.exec(given)?.slice(1) ?? [],
  );
  const requested = distinctNames([
    ...[blocks, depends_on].flatMap((list) => [...(list?.add ?? []), ...(list?.set ?? [])]),
    ...(dupe_of === undefined ? [] : [dupe_of]),
  ]);
  const removed = distinctNames([blocks, depends_on].flatMap((list) => list?.remove ?? []));
  const linked = distinctNames(numbered.filter((id) => id !== undefined));
  const names = [...requested, ...linked, ...removed];
  const { found } = await findBugs(names, Promise.resolve(caller), services);
  const ids = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const { id, bug } = found[index] ?? { id: undefined, bug: undefined };
    if (index < requested.length) requireVisible(name, id, bug, caller);
    if (id !== undefined && (bug !== undefined || index >= requested.length + linked.length))
      ids.set(normalizeName(name), id);
    if (bug !== undefined && (index < requested.length || isVisible(bug, caller))) drafts.add([bug]);
  }
  return ids;
}

/** Reads the bugs at the other ends of dependencies and of `see_also` that a request may remove. */
export async function readRelatedBugs(
  { blocks, depends_on, see_also }: Naming,
  changed: readonly BugItem[],
  drafts: BugDrafts,
  { bugs }: Pick<BugServices, 'bugs'>,
): Promise<void> {
  const ids = changed.flatMap((bug) => [
    ...(blocks === undefined ? [] : bug.blocks),
    ...(depends_on === undefined ? [] : bug.depends_on),
    ...(see_also === undefined
      ? []
      : bug.see_also.flatMap((url) => Number(/show_bug\.cgi\?id=(\d+)$/.exec(url)?.[1] ?? 0))),
  ]);
  const unread = ids.filter((id) => id > 0 && drafts.get(id) === undefined);
  if (unread.length > 0) drafts.add((await bugs.byIds(unread)).values());
}

/** The products that bugs belong to, by id, and the one that they move to. */
export async function readProducts(
  changed: readonly BugItem[],
  update: BugUpdate,
  caller: Caller,
  { products }: Pick<BugServices, 'products'>,
): Promise<Pick<UpdateSources, 'products' | 'target'>> {
  const ids = [...new Set(changed.map(({ product_id }) => product_id))];
  const read = await products.allWithParts(ids);
  const byId = new Map(read.map((one) => [one.product.id, one]));
  const target =
    update.product === undefined ? undefined : await requireEnterable(update.product, byId, caller, products);
  return { products: byId, target };
}

/** @throws errors.parameterMissing (400, 50), errors.productAccessDenied (401, 106) */
async function requireEnterable(
  given: string,
  known: ReadonlyMap<number, ProductWithParts>,
  caller: Caller,
  products: BugServices['products'],
): Promise<ProductWithParts> {
  const name = given.trim();
  if (name === '') throw errors.parameterMissing('product');
  const [id] = (await products.idsByName([name])).values();
  const same = id === undefined ? undefined : known.get(id);
  if (same !== undefined) return same;
  const product = id === undefined ? undefined : await products.withParts(id);
  if (product === undefined || !isOfType(productIndexEntry(product.product), 'enterable', caller)) {
    throw errors.productAccessDenied(given);
  }
  return product;
}

/** Checks that no changed bug depends on itself or is a duplicate of itself. */
export async function checkLoops(
  drafts: BugDrafts,
  ids: readonly number[],
  { blocks, depends_on, dupe_of }: Naming,
  { bugs }: Pick<BugServices, 'bugs'>,
): Promise<void> {
  const read = (unread: number[]) => bugs.byIds(unread);
  for (const id of ids) {
    if (blocks !== undefined || depends_on !== undefined) await checkDependencies(drafts, id, read);
    if (dupe_of !== undefined) await checkDuplicates(drafts, id, read);
  }
}

/** The address of this deployment, as the client knows it. */
export function baseAddress({ headers }: BugzillaRequest): string {
  const protocol = headers['x-forwarded-proto'] ?? 'https';
  return `${protocol}://${headers['host'] ?? 'localhost'}/`;
}
