import { findBug, isVisible } from './bug-visibility.ts';
import type { GeneratedValues, Given } from './model.ts';
import { mayEditBugs } from './product-rules.ts';
import { type Caller, flag, list, Refusal, requireLogin, text } from './send-request.ts';
import type { Bug, Comment, FieldChange, World } from './world.ts';

/** The times of requests. functions/README.md 5 (new_since). */
export const TIMES = new Map([
  ['2024-01-01', '2024-01-01T00:00:00Z'],
  ['2024-01-02T00:00:00Z', '2024-01-02T00:00:00Z'],
  ['2024/01/02 00:00', '2024-01-02T00:00:00Z'],
  ['20240102T000000', '2024-01-02T00:00:00Z'],
  ['2024-01-02T01:00:01.999+01:00', '2024-01-02T00:00:01Z'],
  ['Tue, 2 Jan 2024 00:00:01 GMT', '2024-01-02T00:00:01Z'],
  ['2024-01-01 19:00:01 -0500', '2024-01-02T00:00:01Z'],
  ['2099-12-31T23:59:59Z', '2099-12-31T23:59:59Z'],
]);

/** A time in the format of responses is unchanged. */
const meant = (time: string) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) ? time : TIMES.get(time));

function presentComment({ time, ...comment }: Comment, { id, comments }: Bug) {
  return {
    ...comment,
    bug_id: id,
    count: comments.findIndex((one) => one.id === comment.id),
    time,
    creation_time: time,
  };
}

/** functions/README.md 5.2. */
export function getComments(world: World, caller: Caller, { path, parameters }: Given) {
  const bugNames = [...list(path['id_or_alias']), ...list(parameters['ids'])];
  const ids = [...list(path['comment_id']), ...list(parameters['comment_ids'])].map((id) => id.trim());
  const newSince = text(parameters['new_since']);
  const since = newSince === undefined ? '' : (meant(newSince) ?? '');

  const isInsider = caller.groups.includes('insiders');
  const ofBugs = bugNames.map((name) => {
    const bug = findBug(world, caller, name);
    const shown = bug.comments.filter(({ is_private, time }) => (isInsider || !is_private) && time > since);
    return [bug.id, { comments: shown.map((comment) => presentComment(comment, bug)) }] as const;
  });
  const single = ids.map((id) => {
    const found = findComment(world, Number(id));
    if (found === undefined) throw new Refusal(400, 111);
    return found;
  });
  // All bugs are checked before the privacy of any comment.
  for (const { bug } of single) mustSeeBug(caller, bug);
  for (const found of single) mustSee(caller, found);
  const comments = single.map(({ bug, comment }) => [comment.id, presentComment(comment, bug)] as const);
  return { bugs: Object.fromEntries(ofBugs), comments: Object.fromEntries(comments) };
}

interface Found {
  bug: Bug;
  comment: Comment;
}

/** A comment by its id, with its bug. */
export function findComment({ bugs }: World, id: number): Found | undefined {
  return bugs
    .flatMap((bug) => bug.comments.map((comment) => ({ bug, comment })))
    .find(({ comment }) => comment.id === id);
}

/** functions/README.md 5, 6. */
export function mustSee(caller: Caller, { bug, comment }: Found): void {
  mustSeeBug(caller, bug);
  if (comment.is_private && !caller.groups.includes('insiders')) throw new Refusal(401, 110);
}

function mustSeeBug(caller: Caller, bug: Bug): void {
  if (!isVisible(bug, caller)) throw new Refusal(401, 102);
}

/** functions/README.md 5.3. */
export function createComment(world: World, caller: Caller, { path, parameters, generated }: Given) {
  const { comment, is_private = parameters['private'], work_time } = parameters;
  const given = { comment, is_private, work_time };
  const { bug, draft } = checkComment(world, caller, path['id_or_alias'] ?? '', given);
  const before = bug.hours_left;
  bug.hours_left = Math.max(0, before - draft.hours);
  const { id, time } = addComment(bug, draft, generated, hoursLeftChange(before, bug.hours_left));
  if (bug.hours_left !== before) bug.changed = time;
  return { id };
}

/** Hours as they were stored before, and as they were computed. */
function hoursLeftChange(before: number, after: number): FieldChange[] {
  if (before === after) return [];
  return [{ field_name: 'remaining_time', removed: before.toFixed(2), added: String(after) }];
}

export interface Draft {
  text: string;
  creator: string;
  is_private: boolean;
  hours: number;
}

/** functions/README.md 5: checked in this order. */
function checkComment(
  world: World,
  caller: Caller,
  bugName: string,
  given: { comment: unknown; is_private: unknown; work_time: unknown },
): { bug: Bug; draft: Draft } {
  requireLogin(caller);
  const kept = tidied(text(given.comment) ?? '');
  const is_private = flag(given.is_private) ?? false;
  const bug = findBug(world, caller, bugName);
  const product = world.products.find(({ id }) => id === bug.product);
  if (product === undefined || !mayEditBugs(product, caller)) throw new Refusal(401, 109);
  if (is_private && !caller.groups.includes('insiders')) throw new Refusal(401, 113);
  const hours = caller.groups.includes('timetrackers') ? Number(given.work_time ?? 0) : 0;
  return { bug, draft: { text: kept, creator: caller.login, is_private, hours } };
}

/** Normalizes line ends, and trims white space at the end. functions/README.md 5. */
export const tidied = (given: string): string => given.replace(/\r\n|\r/g, '\n').replace(/[\s\u0085]+$/, '');

/** Adds a comment with its generated id and time; hours are recorded in the history. */
export function addComment(
  bug: Bug,
  draft: Draft,
  generated: GeneratedValues,
  changes: FieldChange[] = [],
): Comment {
  const { hours, ...said } = draft;
  const before = bug.comments.at(-1)?.time ?? '';
  const given = generated.comment(bug.id, bug.comments.length, before);
  const comment = { ...said, ...given, attachment_id: null, tags: [] };
  bug.comments.push(comment);
  bug.hours_worked += hours;
  const worked = { field_name: 'work_time', removed: '', added: hours.toFixed(2) };
  const recorded = [...changes, ...(hours === 0 ? [] : [worked])];
  if (recorded.length > 0) bug.history.push({ when: comment.time, who: draft.creator, changes: recorded });
  return comment;
}
