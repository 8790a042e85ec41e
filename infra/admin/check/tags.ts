import { normalizeName } from '../../../lib/base/text.ts';
import { keyText, tagKey, tagSuffixKeys } from '../../../lib/table/keys.ts';
import { ABSENT, type Action } from '../../../lib/table/write.ts';
import type { Check, Finding } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

interface TagCount {
  /** in the spelling of some comment, or of the tag's item */
  tag: string;
  /** the number of scanned comments with the tag */
  uses: number;
  /** the number stored in the tag's item; undefined without an item */
  stored: number | undefined;
}

/** The item of every tag in use has the number of its comments; other tags have no item. Memory holds each tag once. */
export function tagCountsCheck(): Check {
  const counts = new Map<string, TagCount>();
  const countOf = (tag: string): TagCount => {
    const count = counts.get(normalizeName(tag)) ?? { tag, uses: 0, stored: undefined };
    counts.set(normalizeName(tag), count);
    return count;
  };
  return {
    async scan(items) {
      for (const { content } of ofKind(items, kinds.tag)) countOf(content.tag).stored = content.uses;
      for (const tag of ofKind(items, kinds.comment).flatMap(({ content }) => content.tags)) {
        countOf(tag).uses += 1;
      }
      return [];
    },
    async finish() {
      return [...counts.values()].flatMap(countFindings);
    },
  };
}

/** Concurrent changes of a tag during the scan make the counts differ, but by less than this. */
const LARGE_DIFFERENCE = 16;

function countFindings({ tag, uses, stored = 0 }: TagCount): Finding[] {
  const difference = uses - stored;
  if (difference === 0) return [];
  const item = keyText(tagKey(tag));
  const violation = `is on ${uses} comments, its count is ${stored}`;
  const magnitude = Math.round(Math.log2(Math.abs(difference)));
  const signature =
    Math.abs(difference) < LARGE_DIFFERENCE
      ? violation
      : `about 2^${magnitude} too ${difference > 0 ? 'few' : 'many'}`;
  return [{ item, violation, signature, repair: updateCount(tag, uses, stored) }];
}

function updateCount(tag: string, uses: number, stored: number): Action[] {
  const key = tagKey(tag);
  const suffixes = tagSuffixKeys(tag);
  if (stored === 0) {
    const item = { put: { ...key, tag, uses }, condition: ABSENT };
    return [item, ...suffixes.map((put): Action => ({ put: { ...put } }))];
  }
  const asRead = { condition: 'uses = :read', values: { ':read': stored } };
  if (uses > 0) {
    return [{ update: key, set: 'SET uses = :uses', ...asRead, values: { ...asRead.values, ':uses': uses } }];
  }
  return [{ remove: key, ...asRead }, ...suffixes.map((remove): Action => ({ remove }))];
}
