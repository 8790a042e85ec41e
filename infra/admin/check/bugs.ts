import { followedBug } from '../../../lib/bugs/follow-product.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { mandatoryGroups } from '../../../lib/bugs/validation.ts';
import { putBugActions } from '../../../lib/bugs/write-bug.ts';
import type { CommentItem } from '../../../lib/comments/schema.ts';
import { sumOfHours } from '../../../lib/comments/validation.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, commentKey, type Key, productKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import type { Action } from '../../../lib/dynamodb/write.ts';
import { withParts } from '../../../lib/products/document.ts';
import { normalizeName } from '../../../lib/text.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';

/** The bug being scanned, with the totals of its comments so far. */
interface BugState {
  pk: string;
  bug: BugItem | undefined;
  comments: number;
  hours: number;
  lastComment: CommentItem | undefined;
  isGapless: boolean;
}

const newState = (pk: string): BugState => ({
  pk,
  bug: undefined,
  comments: 0,
  hours: 0,
  lastComment: undefined,
  isGapless: true,
});

/**
 * The comments of a bug are numbered without gaps, in the order of their times; the bug has their number, the time of
 * the last one and the sum of their hours. Its aliases are distinct; its product, component, version and milestone
 * exist; it has the groups that are MANDATORY in its product.
 */
export function bugsCheck(table: Table): Check {
  let current: BugState | undefined;

  function scanItem(item: Item): Finding[] {
    const previous = current;
    const state = previous !== undefined && previous.pk === item.pk ? previous : newState(item.pk);
    current = state;
    const findings = previous === undefined || previous === state ? [] : finishBug(previous);
    for (const { content } of ofKind([item], kinds.bug)) state.bug = content;
    if (state.bug === undefined)
      findings.push(...ofKind([item], kinds.history).map(({ key }) => orphan(key)));
    for (const { content } of ofKind([item], kinds.comment)) findings.push(...addComment(state, content));
    return findings;
  }

  return {
    async scan(items) {
      const ofBugs = items.filter(({ pk }) => kindOf(pk) === 'BUG');
      const bugs = ofKind(items, kinds.bug).map(({ content }) => content);
      const misplaced = await placeFindings(table, bugs);
      return [...ofBugs.flatMap(scanItem), ...bugs.flatMap(repeatedAliases), ...misplaced];
    },
    async finish() {
      return current === undefined ? [] : finishBug(current);
    },
  };
}

function addComment(state: BugState, comment: CommentItem): Finding[] {
  // The sort key of the bug precedes those of its comments.
  if (state.bug === undefined) return [orphan(commentKey(comment))];
  const expected = state.comments;
  state.comments += 1;
  state.hours += comment.work_time;
  state.lastComment = comment;
  if (comment.count === expected || !state.isGapless) return [];
  state.isGapless = false;
  const item = keyText(commentKey(comment));
  return [{ item, violation: `has the count ${comment.count}, expected ${expected}` }];
}

/**
 * Left by an interrupted run of `apply`, which resumes when it is run again, or all that is left of a lost bug: not
 * repaired, because only people can tell, and a repair deletes nothing that a user wrote.
 */
const orphan = (key: Key): Finding => ({
  item: keyText(key),
  violation: 'its bug does not exist',
});

/** Sums of hours are rounded after each comment. */
const HOURS_TOLERANCE = 0.000_001;

/** Compares a bug with the totals of its comments. */
function finishBug({ bug, comments, hours, lastComment, isGapless }: BugState): Finding[] {
  if (bug === undefined) return [];
  const time = lastComment?.creation_time ?? bug.last_comment_time;
  const missingComments = comments - bug.comment_count;
  const missingHours = sumOfHours([hours, -bug.hours_worked]);
  const hasOtherHours = Math.abs(missingHours) > HOURS_TOLERANCE * (comments + 1);
  const isSameTime = time === bug.last_comment_time;
  if (missingComments === 0 && isSameTime && !hasOtherHours) return [];

  const stored = totals(bug.comment_count, bug.last_comment_time, bug.hours_worked);
  const violation = `has totals of ${stored}, expected ${totals(comments, time, hours)}`;
  const signature = `totals differ by ${missingComments} comments, ${missingHours} hours, same time: ${isSameTime}`;
  const finding = { item: keyText(bugKey(bug.id)), violation, signature };
  // With fewer comments than stored one is lost, and its number must not be reused.
  const isRepairable = isGapless && missingComments >= 0;
  return [isRepairable ? { ...finding, repair: [updateTotals(bug, comments, time, hours)] } : finding];
}

const totals = (comments: number, time: string, hours: number) =>
  `${comments} comments, the last of ${time}, with ${sumOfHours([hours])} hours`;

const updateTotals = (bug: BugItem, comments: number, time: string, hours: number): Action => ({
  update: bugKey(bug.id),
  set: 'SET comment_count = :comments, last_comment_time = :time, hours_worked = :hours',
  condition: 'comment_count = :read AND last_comment_time = :read_time',
  values: {
    ':comments': comments,
    ':time': time,
    ':hours': sumOfHours([hours]),
    ':read': bug.comment_count,
    ':read_time': bug.last_comment_time,
  },
});

function repeatedAliases({ id, aliases }: BugItem): Finding[] {
  const names = aliases.map(normalizeName);
  const repeated = aliases.filter((_, place) => names.indexOf(names[place] ?? '') < place);
  return repeated.map((alias) => ({
    item: keyText(bugKey(id)),
    violation: `has the alias '${alias}' twice`,
  }));
}

async function placeFindings(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const ids = [...new Set(bugs.map(({ product_id }) => product_id))];
  const productAt = await readKind(table, ids.map(productKey), kinds.product);
  const products = await withParts(
    table,
    ids.flatMap((id) => productAt(productKey(id)) ?? []),
  );
  const byId = new Map(products.map((one) => [one.product.id, one]));
  return bugs.flatMap((bug) => {
    const item = keyText(bugKey(bug.id));
    const place = byId.get(bug.product_id);
    if (place === undefined) {
      return [{ item, violation: `is in ${keyText(productKey(bug.product_id))}, which does not exist` }];
    }
    const { version, target_milestone: milestone } = bug;
    const isNamed = (parts: { name: string }[], name: string) => parts.some((part) => part.name === name);
    const hasNot = (part: string) => ({
      item,
      violation: `has the ${part}, which its product does not have`,
    });
    const hasComponent = place.components.some(({ id }) => id === bug.component_id);
    return [
      ...(hasComponent ? [] : [hasNot(`component ${bug.component_id}`)]),
      // An import does not copy invalid parts of products.
      ...(isNamed(place.versions, version) ? [] : [{ ...hasNot(`version '${version}'`), isNote: true }]),
      ...(isNamed(place.milestones, milestone)
        ? []
        : [{ ...hasNot(`milestone '${milestone}'`), isNote: true }]),
      ...publicFindings(bug, mandatoryGroups(place.product)),
    ];
  });
}

/** A bug that lacks a group that is MANDATORY in its product can be seen by others than its product. */
function publicFindings(bug: BugItem, mandatory: string[]): Finding[] {
  const restricted = followedBug(bug, { groups: { add: mandatory, remove: [] } }, new Date());
  if (restricted === undefined) return [];
  const missing = restricted.groups.filter((group) => !bug.groups.includes(group));
  const violation = `is not in the group '${missing.join("', '")}', which its product requires`;
  return [
    {
      item: keyText(bugKey(bug.id)),
      violation,
      repair: putBugActions(bug, restricted, restricted.last_change_time),
    },
  ];
}
