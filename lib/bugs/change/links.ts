import { distinctNames, updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { addableGroup, mandatoryGroups, mayRemoveGroup, validGroups } from '../../products/group-controls.ts';
import { contentOf } from '../comments/validation.ts';
import { isVisible, mayChange, productBarrier } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import { bugUrl, localBugId, readSeeAlso } from '../see-also.ts';
import { checkAliases } from '../validation.ts';
import type { OwnUpdate, UpdateContext } from './bug-update.ts';
import type { DependencyField } from './drafts.ts';

/**
 * Sets the dependencies of a bug, at both ends. Bugs that the caller does not see stay, unless they are removed by name,
 * which is an error.
 */
export function relate(context: UpdateContext, id: number, field: DependencyField): void {
  const { drafts, namedBug, editor, update } = context;
  if (update[field] === undefined) return;
  const current = drafts.get(id)?.[field] ?? [];
  const idsOf = (names: string[]) => distinctNames(names).flatMap((name) => namedBug(name) ?? []);
  const { add, remove, set } = update[field];
  const removed = new Set(idsOf(remove));
  const isHidden = (other: number) => {
    const bug = drafts.get(other);
    return bug !== undefined && !isVisible(bug, editor.caller);
  };
  const next =
    set === undefined
      ? [...current, ...idsOf(add)].filter((one) => !removed.has(one))
      : [...idsOf(set), ...current.filter(isHidden)];
  if (next.includes(id)) throw errors.dependencyLoop(id);
  drafts.relate(id, field, next);
}

/**
 * Adds and removes `see_also`. A bug of this deployment gets the address of the other one, too, which takes the right to
 * see and change that bug; where the caller lacks it, an address that is removed stays at the other end.
 */
export function link(context: UpdateContext, id: number): void {
  const { drafts, namedBug, editor, update } = context;
  if (update.see_also === undefined) return;
  const { base } = editor;
  const added = distinctNames(update.see_also.add).map((given) => {
    const named = readSeeAlso(given, base);
    const other = 'bug' in named ? namedBug(named.bug) : undefined;
    return { other, url: 'url' in named ? named.url : bugUrl(base, other ?? 0) };
  });
  const own = bugUrl(base, id);
  const current = drafts.get(id)?.see_also ?? [];
  const next = updatedNames(current, { add: added.map(({ url }) => url), remove: update.see_also.remove });
  if (added.some(({ url }) => url === own)) throw errors.seeAlsoInvalid(own);
  drafts.change(id, { see_also: next });
  for (const { other, url } of added) {
    const bug = other === undefined || !next.includes(url) ? undefined : drafts.get(other);
    if (bug === undefined || bug.see_also.includes(own)) continue;
    const barrier = barrierTo(bug, context);
    if (barrier !== undefined) throw barrier;
    drafts.change(bug.id, { see_also: [...bug.see_also, own] });
  }
  for (const url of current.filter((one) => !next.includes(one))) {
    const bug = drafts.get(localBugId(url, base) ?? 0);
    if (bug === undefined || barrierTo(bug, context) !== undefined) continue;
    drafts.change(bug.id, { see_also: bug.see_also.filter((one) => one !== own) });
  }
}

/** Why the caller may not change the `see_also` of another bug; undefined: nothing bars it. */
function barrierTo(bug: BugItem, { products, editor, fields }: UpdateContext): Error | undefined {
  if (!isVisible(bug, editor.caller)) return errors.bugAccessDenied(String(bug.id));
  const { product } = products.get(bug.product_id) ?? {};
  const barrier = productBarrier(product, bug.product_id, editor.caller);
  if (barrier !== undefined) return barrier;
  return mayChange(bug, 'see_also', editor, fields, product) ? undefined : errors.changeDenied('see_also');
}

/** The aliases of a bug after a change. */
export function aliases({ bug, update: { alias } }: OwnUpdate): string[] {
  if (alias === undefined) return bug.aliases;
  const { add, remove, set } = alias;
  return updatedNames(bug.aliases, { add: checkAliases(add), remove, set: set && checkAliases(set) });
}

/** The keywords of a bug after a change, in their own spelling. */
export function keywords({ bug, update, keywords: known }: OwnUpdate): string[] {
  if (update.keywords === undefined) return bug.keywords;
  return updatedNames(bug.keywords, update.keywords, (names) =>
    distinctNames(names).map((name) => {
      const keyword = known.get(normalizeName(name));
      if (keyword === undefined) throw errors.valueUnknown('keyword', name);
      return keyword.name;
    }),
  );
}

/**
 * The groups of a bug after a change. A new bug has the groups that its product gives it. A bug that moves leaves the groups that
 * the other product does not have, and gets those that it requires.
 */
export function groups({
  bug,
  update,
  product: { product },
  isNew,
  editor: { caller },
}: OwnUpdate): string[] {
  const { add = [], remove = [] } = update.groups ?? {};
  const isMoved = product.id !== bug.product_id;
  const valid = new Set(validGroups(product).map(normalizeName));
  const current = isMoved
    ? distinctNames([
        ...bug.groups.filter((name) => valid.has(normalizeName(name))),
        ...mandatoryGroups(product, caller),
      ])
    : bug.groups;
  const change = { product, isEntering: isNew || isMoved };
  const added = distinctNames(add).map((name) => {
    const group = addableGroup({ ...change, groups: current }, name, caller);
    if (group === undefined) throw errors.groupNotAllowed(name);
    return group;
  });
  const before = [...current, ...added];
  for (const name of distinctNames(remove)) {
    if (!mayRemoveGroup({ ...change, groups: before }, name, caller)) throw errors.groupNotAllowed(name);
  }
  return updatedNames(current, { add: added, remove });
}

/**
 * Notes on the original that a bug is a duplicate of it: in a comment, and with the reporter on CC, unless that would
 * show the reporter a restricted bug.
 */
export function noteDuplicate({ drafts, users }: UpdateContext, id: number, original: number): void {
  const [bug, other] = [drafts.get(id), drafts.get(original)];
  if (bug === undefined || other === undefined) return;
  const text = `*** Bug ${id} has been marked as a duplicate of this bug. ***`;
  drafts.comment(original, contentOf(text));
  const reporter = users.get(normalizeName(bug.reporter));
  const groups = new Set(reporter?.groups.map(normalizeName));
  const isKnown = normalizeName(other.reporter) === normalizeName(bug.reporter);
  if (isKnown || !other.groups.every((group) => groups.has(normalizeName(group)))) return;
  drafts.change(original, { cc: updatedNames(other.cc, { add: [bug.reporter] }) });
}

/** More bugs than that are not followed: a request would take too long. */
const MAX_FOLLOWED = 2_000;

/** Checks that a bug neither depends on itself nor is its own duplicate, however many bugs are in between. */
export async function checkLoop(
  { drafts, readBugs }: Pick<UpdateContext, 'drafts' | 'readBugs'>,
  start: number,
  field: 'depends_on' | 'dupe_of',
): Promise<void> {
  const seen = new Set<number>();
  for (let level = [start]; level.length > 0; ) {
    const unread = level.filter((id) => drafts.get(id) === undefined);
    if (unread.length > 0) drafts.add((await readBugs(unread)).values());
    const found = new Set(level.flatMap((id) => [drafts.get(id)?.[field] ?? []].flat()));
    if (found.has(start)) {
      throw field === 'depends_on' ? errors.dependencyLoop(start) : errors.duplicateLoop(start);
    }
    level = [...found].filter((id) => !seen.has(id));
    for (const id of level) seen.add(id);
    if (seen.size > MAX_FOLLOWED)
      throw errors.requestTooLarge(`at most ${MAX_FOLLOWED} bugs that depend on each other`);
  }
}
