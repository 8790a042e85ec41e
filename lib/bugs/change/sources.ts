import { distinctNames, type ListUpdate } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { Caller } from '../../people/caller.ts';
import type { UserRepository } from '../../people/repository.ts';
import { isOfType } from '../../products/permissions.ts';
import type { ProductRepository } from '../../products/repository.ts';
import { type ProductWithParts, productIndexEntry } from '../../products/schema.ts';
import { type Editor, isVisible, requireVisible } from '../permissions.ts';
import { localBugId, readSeeAlso } from '../see-also.ts';
import { findBugs } from '../store/find-bugs.ts';
import type { BugRepository } from '../store/repository.ts';
import type { BugSettingsRepository } from '../store/settings-repository.ts';
import type { BugUpdate, UpdateContext, UpdateRequest } from './bug-update.ts';
import type { BugDrafts } from './drafts.ts';

/** Where changes of bugs read from. */
export interface SourceRepositories {
  bugs: BugRepository;
  products: ProductRepository;
  users: UserRepository;
  bugSettings: BugSettingsRepository;
}

/** So that a request has a bounded number of look-ups. */
const MAX_NAMES_A_LIST = 100;

const namesIn = (...lists: (ListUpdate | undefined)[]): string[] =>
  distinctNames(
    lists.flatMap((list) => [...(list?.add ?? []), ...(list?.set ?? []), ...(list?.remove ?? [])]),
  );

/**
 * Checks that no list of a request has more than 100 names.
 *
 * @param privacy by the ids of comments
 */
export function checkNumbers(update: BugUpdate, privacy: Readonly<Record<string, boolean>> = {}): void {
  const comments = { add: Object.keys(privacy), remove: [] };
  for (const [name, given] of Object.entries({ ...update, comment_is_private: comments })) {
    if (typeof given === 'object' && namesIn(given).length > MAX_NAMES_A_LIST) {
      throw errors.requestTooLarge(`at most ${MAX_NAMES_A_LIST} names in '${name}'`);
    }
  }
}

/** The users that a request names, and others, by normalized login. */
export const readUsers = (
  { update: { assigned_to = '', qa_contact = '', cc }, flags }: Pick<UpdateRequest, 'update' | 'flags'>,
  { users }: SourceRepositories,
  others: readonly string[] = [],
): Promise<UpdateContext['users']> => {
  const people = [assigned_to, qa_contact, ...flags.flatMap(({ requestee }) => requestee ?? [])];
  return users.byLogins([...people.map((login) => login.trim()), ...namesIn(cc), ...others]);
};

/** The keywords that a request names, by normalized name. */
export const readKeywords = (
  { keywords }: BugUpdate,
  { bugSettings }: SourceRepositories,
): Promise<UpdateContext['keywords']> => bugSettings.keywordsByName(namesIn(keywords));

/** The bugs of this deployment that `see_also` adds. */
const linkedNames = ({ see_also }: BugUpdate, base: string): string[] =>
  distinctNames(see_also?.add ?? []).flatMap((given) => {
    const named = readSeeAlso(given, base);
    return 'bug' in named ? [named.bug] : [];
  });

/**
 * Reads the bugs that a request names beside those that it changes, and those at the other ends of dependencies and of
 * `see_also` that it may remove, and adds them to the drafts. What a request removes and no bug has is ignored.
 *
 * @param others named in custom fields
 * @param drafts has the bugs that the request changes
 * @returns their ids by name
 */
export async function readOtherBugs(
  update: BugUpdate,
  others: readonly string[],
  drafts: BugDrafts,
  { caller, base }: Editor,
  { bugs }: SourceRepositories,
): Promise<UpdateContext['namedBug']> {
  const { blocks, depends_on, dupe_of, see_also } = update;
  const targets = [...drafts.all()].map(({ after }) => after);
  const required = distinctNames([
    // As in Bugzilla, what `set` replaces anyway is not looked up, and 0 is none.
    ...[blocks, depends_on]
      .flatMap((list) => list?.set ?? list?.add ?? [])
      .filter((name) => name.trim() !== '0'),
    ...(dupe_of === undefined ? [] : [dupe_of]),
    ...linkedNames(update, base),
    ...others,
  ]);
  const removed = distinctNames(
    [blocks, depends_on].flatMap((list) => (list?.set === undefined ? (list?.remove ?? []) : [])),
  );
  const linked = new Set(targets.flatMap((bug) => [...bug.blocks, ...bug.depends_on]));
  const found = await findBugs([...required, ...removed], bugs);
  for (const [index, { name, id, bug }] of found.entries()) {
    const isRemoved = bug !== undefined && linked.has(bug.id);
    if (index < required.length || (isRemoved && !isVisible(bug, caller))) {
      requireVisible(name, id, bug, caller);
    }
  }
  drafts.add(found.flatMap(({ bug }) => bug ?? []));
  const related = targets.flatMap((bug) => [
    ...(blocks === undefined ? [] : bug.blocks),
    ...(depends_on === undefined ? [] : bug.depends_on),
    ...(see_also === undefined ? [] : bug.see_also.flatMap((url) => localBugId(url, base) ?? [])),
  ]);
  const unread = related.filter((id) => drafts.get(id) === undefined);
  if (unread.length > 0) drafts.add((await bugs.byIds(unread)).values());
  const ids = new Map(found.map(({ normalized, id }) => [normalized, id]));
  return (name) => ids.get(normalizeName(name.trim()));
}

/** A product by its name, in any case. */
export async function readProduct(
  given: string | undefined,
  { products }: SourceRepositories,
): Promise<ProductWithParts> {
  const name = given?.trim() ?? '';
  if (name === '') throw errors.parameterMissing('product');
  const [id] = (await products.idsByName([name])).values();
  const product = id === undefined ? undefined : await products.withParts(id);
  if (product === undefined) throw errors.productAccessDenied(name);
  return product;
}

/**
 * Checks that the caller may enter bugs into a product, new ones and those that move.
 *
 * @param given the name in the request: how it is spelled may be hidden from the caller
 */
export function requireEnterable(
  { product, components }: ProductWithParts,
  caller: Caller,
  given = product.name,
): void {
  // Without an active component or version the error is that of the component or version.
  const entry = { ...productIndexEntry(product), takes_bugs: product.is_active };
  if (!isOfType(entry, 'enterable', caller)) throw errors.productAccessDenied(given.trim());
  if (components.length === 0) throw errors.noComponents(product.name);
}
