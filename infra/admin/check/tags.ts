import { normalizeName } from '../../../lib/base/text.ts';
import { keyText, tagKey, tagSuffixKeys } from '../../../lib/table/keys.ts';
import { type Action, setAction } from '../../../lib/table/write.ts';
import type { Check, Finding } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

interface TagUses {
  /** in the spelling of some comment, or of the tag's item */
  tag: string;
  /** the number of comments with the tag */
  uses: number;
}

/** A tag as it was scanned, with its item. */
interface TagCount extends TagUses {
  stored: TagUses | undefined;
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
      for (const { content } of ofKind(items, kinds.tag)) countOf(content.tag).stored = content;
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

function countFindings({ tag, uses, stored }: TagCount): Finding[] {
  const difference = uses - (stored?.uses ?? 0);
  if (difference === 0) return [];
  const item = keyText(tagKey(tag));
  const violation = `is on ${uses} comments, its count is ${stored?.uses ?? 0}`;
  const magnitude = Math.round(Math.log2(Math.abs(difference)));
  const signature =
    Math.abs(difference) < LARGE_DIFFERENCE
      ? violation
      : `about 2^${magnitude} too ${difference > 0 ? 'few' : 'many'}`;
  return [{ item, violation, signature, repair: updateCount(tag, uses, stored) }];
}

function updateCount(tag: string, uses: number, stored: TagUses | undefined): Action[] {
  const [key, guard] = [tagKey(tag), kinds.tag.unchanged(stored)];
  const suffixes = tagSuffixKeys(tag);
  if (uses === 0) return [{ remove: key, ...guard }, ...suffixes.map((remove): Action => ({ remove }))];
  const added = stored === undefined ? suffixes : [];
  return [setAction(key, { tag, uses }, guard), ...added.map((put): Action => ({ put: { ...put } }))];
}
