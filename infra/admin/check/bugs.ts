import { type BugItem, bugItem } from '../../../lib/bugs/schema.ts';
import { type CommentItem, commentItem } from '../../../lib/comments/schema.ts';
import { sumOfHours } from '../../../lib/comments/validation.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, commentKey, commentPointerKey, productKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { withParts } from '../../../lib/products/document.ts';
import { productItem } from '../../../lib/products/schema.ts';
import { normalizeName } from '../../../lib/text.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readSound } from './item-kinds.ts';

/** What has been seen of the bug that goes by. */
interface Passing {
  pk: unknown;
  bug: BugItem | undefined;
  comments: number;
  hours: number;
  last: CommentItem | undefined;
  isGapless: boolean;
}

const begun = (pk: unknown): Passing => ({
  pk,
  bug: undefined,
  comments: 0,
  hours: 0,
  last: undefined,
  isGapless: true,
});

/**
 * A bug's comments are counted without a gap, in the order of their times, and the bug says how many there are, when
 * the last came and how many hours they make; it has each alias once, its product and component are there.
 */
export function bugsCheck(table: Table): Check {
  let passing: Passing | undefined;

  function pass(item: Item): Finding[] {
    const before = passing;
    const current = before !== undefined && before.pk === item['pk'] ? before : begun(item['pk']);
    passing = current;
    const findings = before === undefined || before === current ? [] : closed(before);
    const kind = kindOf(item['sk']);
    if (kind === 'BUG') current.bug = bugItem.parse(item);
    if (kind === 'COMMENT') findings.push(...counted(current, commentItem.parse(item)));
    return findings;
  }

  return {
    async next(items) {
      const ofBugs = items.filter(({ pk }) => kindOf(pk) === 'BUG');
      const bugs = ofBugs.filter(({ sk }) => sk === 'BUG').map((item) => bugItem.parse(item));
      const misplaced = await placeFindings(table, bugs);
      return [...ofBugs.flatMap(pass), ...bugs.flatMap(repeatedAliases), ...misplaced];
    },
    async end() {
      return passing === undefined ? [] : closed(passing);
    },
  };
}

function counted(passing: Passing, comment: CommentItem): Finding[] {
  // The bug itself goes by before its comments.
  if (passing.bug === undefined) return [orphan(comment)];
  const expected = passing.comments;
  passing.comments += 1;
  passing.hours += comment.work_time;
  passing.last = comment;
  if (comment.count === expected || !passing.isGapless) return [];
  passing.isGapless = false;
  const item = keyText(commentKey(comment.bug_id, comment.creation_time, comment.count));
  return [
    { item, wrong: `it is the ${expected + 1}. comment of its bug and has the count ${comment.count}` },
  ];
}

/** What an interrupted run of apply leaves: it takes it up when it is run again. */
function orphan({ id, bug_id, creation_time, count }: CommentItem): Finding {
  const key = commentKey(bug_id, creation_time, count);
  return {
    item: keyText(key),
    wrong: 'its bug is not there',
    repair: [
      { check: bugKey(bug_id), condition: ABSENT },
      { remove: key },
      { remove: commentPointerKey(id), condition: 'bug_id = :bug', values: { ':bug': bug_id } },
    ],
  };
}

/** Each comment's hours are rounded when they are added up. */
const SMALLEST_HOURS = 0.000_001;

/** What is wrong with a bug, once all of its comments have gone by. */
function closed({ bug, comments, hours, last, isGapless }: Passing): Finding[] {
  if (bug === undefined) return [];
  const time = last?.creation_time ?? bug.last_comment_time;
  const more = comments - bug.comment_count;
  const longer = sumOfHours([hours, -bug.hours_worked]);
  const isOtherHours = Math.abs(longer) > SMALLEST_HOURS * (comments + 1);
  if (more === 0 && time === bug.last_comment_time && !isOtherHours) return [];

  const describe = totals(bug.comment_count, bug.last_comment_time, bug.hours_worked);
  const wrong = `it says ${describe}; there are ${totals(comments, time, hours)}`;
  const lasting = `${more} comments more than it says, ${longer} hours, ${time === bug.last_comment_time}`;
  const finding = { item: keyText(bugKey(bug.id)), wrong, lasting };
  // Fewer than it says: a comment is lost, and its place must not be given again.
  return [!isGapless || more < 0 ? finding : { ...finding, repair: [toldRight(bug, comments, time, hours)] }];
}

const totals = (comments: number, time: string, hours: number) =>
  `${comments} comments, the last of ${time}, with ${sumOfHours([hours])} hours`;

const toldRight = (bug: BugItem, comments: number, time: string, hours: number): Action => ({
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
    wrong: `it has the alias '${alias}' twice`,
  }));
}

async function placeFindings(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const items = await readSound(
    table,
    [...new Set(bugs.map(({ product_id }) => product_id))].map(productKey),
  );
  const products = await withParts(
    table,
    items.map((item) => productItem.parse(item)),
  );
  const components = new Map(
    products.map(({ product, components }) => [product.id, new Set(components.map(({ id }) => id))]),
  );
  return bugs.flatMap((bug) => {
    const item = keyText(bugKey(bug.id));
    const known = components.get(bug.product_id);
    if (known === undefined) {
      return [{ item, wrong: `it is in ${keyText(productKey(bug.product_id))}, which is not there` }];
    }
    if (known.has(bug.component_id)) return [];
    return [{ item, wrong: `it is in component ${bug.component_id}, which its product does not have` }];
  });
}
