import type * as z from 'zod/mini';
import { type AddedComment, type BugChange, fieldChanges, responseChanges } from '../../lib/bugs/changes.ts';
import { BugDrafts } from '../../lib/bugs/drafts.ts';
import { duplicateText, noteDuplicate } from '../../lib/bugs/duplicates.ts';
import { checkRights } from '../../lib/bugs/rights.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import type { BugPlace } from '../../lib/bugs/search/subject.ts';
import type { UpdateSources } from '../../lib/bugs/update/bug-update.ts';
import { applyUpdate } from '../../lib/bugs/update/update.ts';
import { checkLength } from '../../lib/comments/validation.ts';
import { retry } from '../../lib/dynamodb/retry.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { mayEditBugs } from '../../lib/products/permissions.ts';
import { compareNames } from '../../lib/text.ts';
import { type Caller, isInGroup, type User } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { readComment, readTags, readWorkTime, setPrivacy, tagComments } from './change-comments.ts';
import {
  baseAddress,
  checkLoops,
  readKeywords,
  readNamedBugs,
  readProducts,
  readRelatedBugs,
  readUsers,
} from './change-sources.ts';
import { requireBugs } from './get-bugs.ts';
import { withRestNames } from './rest-names.ts';
import { bugUpdate } from './schemas.ts';
import type { BugServices } from './services.ts';

type Given = z.output<typeof bugUpdate>;

/** More cannot be written at once anyway. */
const MAX_TARGETS = 50;

/**
 * Changes all bugs of the path and of `ids`, or none; answers what changed of each, in the order of the request.
 *
 * @throws errors of 100 to 102 for a bug, 106 and 109 for its product, 115 and 123 without the right, 103 to 105, 107,
 * 112 to 114, 116 to 122 and 50 to 56 for values
 */
export const updateBugs: Endpoint<BugServices> = async (request, services) => {
  const given = parseParameters(bugUpdate, withRestNames(request.parameters));
  if (given.ids.length > MAX_TARGETS) throw errors.requestTooLarge(`at most ${MAX_TARGETS} bugs`);
  const names = [request.pathParameter('id_or_alias'), ...given.ids];
  const base = baseAddress(request);

  // Another request may write one of the bugs between reading and writing: then the change is computed again.
  const outcome = await retry(services.settings.DATABASE_RETRY_TIMEOUT_MS, async () => {
    const { caller, bugs } = await requireBugs(names, request.caller, services);
    const targets = [...new Map(bugs.map((bug) => [bug.id, bug])).values()];
    const changes = await computeChanges(targets, given, caller, base, services);
    const written = await writeChanges(requireUser(caller), changes, services);
    return written === undefined
      ? { done: false, reason: 'a bug was changed meanwhile' }
      : { done: true, value: { caller, targets, changes, written } };
  });

  const { caller, targets, changes, written } = outcome;
  await tagComments(targets, changes, readTags(given, caller, services), services);
  const isTimeTracker = isInGroup(caller, services.settings.TIMETRACKING_GROUP);
  return ok({
    bugs: targets.map((target) => {
      const { id, aliases, last_change_time } = written.get(target.id) ?? target;
      const change = changes.find(({ before }) => before.id === id);
      return {
        id,
        alias: aliases.toSorted(compareNames),
        last_change_time,
        changes: change === undefined ? {} : responseChanges(fieldChanges(change), isTimeTracker),
      };
    }),
  });
};

/** What the request does to its bugs and to those that they concern; bugs that stay as they are are left out. */
async function computeChanges(
  targets: readonly BugItem[],
  given: Given,
  caller: Caller,
  base: string,
  services: BugServices,
): Promise<BugChange[]> {
  const { settings, bugSettings } = services;
  const isTimeTracker = isInGroup(caller, settings.TIMETRACKING_GROUP);
  const drafts = new BugDrafts(targets);
  const reporters = given.dupe_of === undefined ? [] : targets.map(({ reporter }) => reporter);
  const [home, users, keywords, legal] = await Promise.all([
    readProducts(targets, given, caller, services),
    readUsers(given, reporters, services),
    readKeywords(given, services),
    bugSettings.legalValues(),
  ]);
  for (const { product_id } of targets) {
    const product = home.products.get(product_id)?.product;
    if (product === undefined || !mayEditBugs(product, caller)) {
      throw errors.productNotEditable(product?.name ?? String(product_id));
    }
  }
  if (targets.length > 1 && given.alias !== undefined) throw errors.aliasOfSeveral();
  if (targets.length > 1 && given.dupe_of !== undefined) throw errors.duplicateOfSeveral();
  if (Array.isArray(given.flags) && given.flags.length > 0)
    throw errors.valueUnknown('flag', flagName(given.flags));
  const workTime = readWorkTime(given, isTimeTracker);
  const comment = readComment(given, caller, services);
  readTags(given, caller, services);
  const bugIds = await readNamedBugs(given, drafts, caller, services);
  await readRelatedBugs(given, targets, drafts, services);

  const sources: UpdateSources = { caller, legal, users, keywords, bugIds, base, workTime, ...home };
  for (const { id } of targets) applyUpdate(drafts, id, given, sources);
  const ids = targets.map(({ id }) => id);
  await checkLoops(drafts, ids, given, services);
  for (const target of targets) {
    const { dupe_of = null } = drafts.get(target.id) ?? {};
    const isNewDuplicate = dupe_of !== null && dupe_of !== target.dupe_of;
    if (isNewDuplicate) noteDuplicate(drafts, target.id, dupe_of, users);
    const text = [comment.text, ...(isNewDuplicate ? [duplicateText(dupe_of)] : [])]
      .filter(Boolean)
      .join('\n\n');
    checkLength(text);
    if (text !== '' || workTime !== 0) {
      drafts.comment(target.id, { text, isPrivate: comment.isPrivate, workTime });
    }
  }
  await setPrivacy(drafts, targets, given, caller, services);

  const changes = await withPlaces(drafts, services);
  for (const change of changes) {
    if (ids.includes(change.before.id))
      checkRights(change.before, fieldChanges(change), caller, isTimeTracker);
  }
  return changes;
}

const flagName = ([first]: unknown[]): string =>
  typeof first === 'object' && first !== null && 'name' in first ? String(first.name) : '';

/** The changes with the names of products and components, and with ids for their comments; idle ones are left out. */
async function withPlaces(drafts: BugDrafts, { products, comments }: BugServices): Promise<BugChange[]> {
  const all = drafts.drafts();
  const placesOf = async (bugs: BugItem[]): Promise<Map<number, BugPlace>> => products.placesOf(bugs);
  const moved = all.filter(
    ({ before, after }) =>
      before.product_id !== after.product_id || before.component_id !== after.component_id,
  );
  const [old, now] = await Promise.all([
    placesOf(moved.map(({ before }) => before)),
    placesOf(moved.map(({ after }) => after)),
  ]);
  const nowhere: BugPlace = { product: '', component: '', classification: '' };
  const placed = all.map(({ before, after, privacy, comments: added }) => {
    const places = { before: old.get(before.id) ?? nowhere, after: now.get(after.id) ?? nowhere };
    return { before, after, privacy, places, added };
  });
  const active = placed.filter(
    ({ added, privacy, ...change }) => added.length + privacy.length > 0 || fieldChanges(change).length > 0,
  );
  const count = active.reduce((sum, { added }) => sum + added.length, 0);
  let next = count === 0 ? 0 : await comments.allocateId(count);
  return active.map(({ added, ...change }) => ({
    ...change,
    comments: added.map((comment): AddedComment => ({ ...comment, id: next++ })),
  }));
}

/**
 * Writes changes.
 *
 * @returns the changed bugs by id; undefined when one of them was written since it was read
 */
async function writeChanges(
  user: User,
  changes: readonly BugChange[],
  { bugs }: BugServices,
): Promise<ReadonlyMap<number, BugItem> | undefined> {
  if (changes.length === 0) return new Map();
  const [only, ...others] = changes;
  const isCommentAlone =
    only !== undefined && others.length === 0 && only.privacy.length === 0 && fieldChanges(only).length === 0;
  const [comment] = only?.comments ?? [];
  if (!isCommentAlone || comment === undefined) return bugs.update(user, changes);
  // Many may comment at the same time: the queue of the bug serves them all.
  await bugs.addComment(user, only.before, comment);
  return bugs.byIds([only.before.id]);
}
