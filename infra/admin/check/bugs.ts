import { isDeepStrictEqual } from 'node:util';
import { type BugItem, bugItem, bugPointerItem } from '../../../lib/bugs/schema.ts';
import { sumOfHours } from '../../../lib/comments/rules.ts';
import { type CommentItem, commentItem } from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/db/client.ts';
import {
  aliasKey,
  bugKey,
  commentKey,
  commentPointerKey,
  productKey,
  productPartKey,
} from '../../../lib/db/keys.ts';
import type { Item } from '../../../lib/db/reading.ts';
import { ABSENT, type Action } from '../../../lib/db/writing.ts';
import { fold } from '../../../lib/text.ts';
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

/**
 * A bug's comments are counted without a gap, in the order of their times, and the bug says how many there are, when
 * the last came and how many hours they make; its aliases lead to it, its product and component are there.
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
      const [aliases, places] = await Promise.all([aliasFindings(table, bugs), placeFindings(table, bugs)]);
      return [...ofBugs.flatMap(pass), ...aliases, ...places];
    },
    async end() {
      return passing === undefined ? [] : closed(passing);
    },
  };
}

const begun = (pk: unknown): Passing => ({
  pk,
  bug: undefined,
  comments: 0,
  hours: 0,
  last: undefined,
  isGapless: true,
});

function counted(passing: Passing, comment: CommentItem): Finding[] {
  // The bug itself goes by before its comments.
  if (passing.bug === undefined) return [orphan(comment)];
  const expected = passing.comments;
  passing.comments += 1;
  passing.hours += comment.work_time;
  passing.last = comment;
  if (comment.count === expected) return [];
  const isFirst = passing.isGapless;
  passing.isGapless = false;
  const wrong = `it is the ${expected + 1}. comment of its bug and has the count ${comment.count}`;
  const item = keyText(commentKey(comment.bug_id, comment.creation_time, comment.count));
  return isFirst ? [{ item, wrong }] : [];
}

/** Each comment's hours are rounded when they are added up. */
const SMALLEST_HOURS = 0.000_001;

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

/** What is wrong with a bug, once all of its comments have gone by. */
function closed({ bug, comments, hours, last, isGapless }: Passing): Finding[] {
  if (bug === undefined) return [];
  const told = [bug.comment_count, bug.last_comment_time];
  const real = [comments, last?.creation_time ?? bug.last_comment_time];
  const isRight =
    isDeepStrictEqual(told, real) && Math.abs(bug.hours_worked - hours) < SMALLEST_HOURS * (comments + 1);
  if (isRight) return [];
  const item = keyText(bugKey(bug.id));
  const wrong = `it says ${described(told, bug.hours_worked)}; there are ${described(real, hours)}`;
  if (!isGapless || last === undefined) return [{ item, wrong }];
  const repair: Action = {
    update: bugKey(bug.id),
    set: 'SET comment_count = :comments, last_comment_time = :time, hours_worked = :hours',
    condition: 'comment_count = :read AND last_comment_time = :read_time',
    values: {
      ':comments': comments,
      ':time': last.creation_time,
      ':hours': sumOfHours([hours]),
      ':read': bug.comment_count,
      ':read_time': bug.last_comment_time,
    },
  };
  return [{ item, wrong, repair: [repair] }];
}

const described = ([comments, time]: unknown[], hours: number) =>
  `${comments} comments, the last of ${time}, with ${sumOfHours([hours])} hours`;

async function aliasFindings(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const keys = bugs.flatMap(({ aliases }) => aliases.map(aliasKey));
  const items = await readSound(table, keys);
  const leadsTo = new Map(items.map((item) => [item['pk'], bugPointerItem.parse(item).bug_id]));
  return bugs.flatMap(({ id, aliases }) =>
    aliases.flatMap((alias): Finding[] => {
      const key = aliasKey(alias);
      const other = leadsTo.get(key.pk);
      if (other === id) return [];
      const item = keyText(key);
      if (other !== undefined) return [{ item, wrong: `it leads to bug ${other}; bug ${id} has it too` }];
      const still: Action = {
        check: bugKey(id),
        condition: 'contains(aliases, :alias)',
        values: { ':alias': alias },
      };
      return [
        {
          item,
          wrong: `bug ${id} has it, and it does not lead there`,
          repair: [{ put: { ...key, bug_id: id }, condition: ABSENT }, still],
        },
      ];
    }),
  );
}

async function placeFindings(table: Table, bugs: BugItem[]): Promise<Finding[]> {
  const placesOf = ({ product_id, component_id }: BugItem) => [
    productKey(product_id),
    productPartKey(product_id, 'COMPONENT', component_id),
  ];
  const there = new Set((await readSound(table, bugs.flatMap(placesOf))).map(keyText));
  return bugs.flatMap((bug) =>
    placesOf(bug)
      .map(keyText)
      .filter((place) => !there.has(place))
      .map((place) => ({ item: keyText(bugKey(bug.id)), wrong: `it is in ${place}, which is not there` })),
  );
}

/** Pointers to bugs, by alias or by what a catalogue says of them, lead to bugs that are there and have the alias. */
export function bugPointersCheck(table: Table): Check {
  return {
    async next(items) {
      const pointers = items
        .filter(({ sk }) => sk === 'ALIAS' || sk === 'BUGSOURCE')
        .map((item) => ({ item, id: bugPointerItem.parse(item).bug_id }));
      const read = await readSound(
        table,
        pointers.map(({ id }) => bugKey(id)),
      );
      const bugs = new Map(read.map((item) => bugItem.parse(item)).map((bug) => [bug.id, bug]));
      return pointers.flatMap(({ item, id }): Finding[] => {
        const bug = bugs.get(id);
        const isRight =
          item['sk'] === 'BUGSOURCE'
            ? bug !== undefined
            : bug?.aliases.some((alias) => `ALIAS#${fold(alias)}` === item['pk']) === true;
        return isRight ? [] : [pointsNowhere(item, id, bug)];
      });
    },
    end: async () => [],
  };
}

function pointsNowhere(item: Item, id: number, bug: BugItem | undefined): Finding {
  const key = { pk: String(item['pk']), sk: String(item['sk']) };
  const wrong = `it leads to bug ${id}, which ${bug === undefined ? 'is not there' : 'does not have it'}`;
  const values = { ':id': id };
  const still: Action =
    bug === undefined
      ? { check: bugKey(id), condition: ABSENT }
      : { check: bugKey(id), condition: 'aliases = :aliases', values: { ':aliases': bug.aliases } };
  return {
    item: keyText(item),
    wrong,
    repair: [{ remove: key, condition: 'bug_id = :id', values }, still],
  };
}
