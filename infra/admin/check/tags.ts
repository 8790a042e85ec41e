import { normalizeName } from '../../../lib/base/text.ts';
import { tagKey, tagSuffixKeys } from '../../../lib/table/keys.ts';
import { type Action, setAction } from '../../../lib/table/write.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** A tag as it was scanned. */
interface TagCount {
  /** in the spelling of some comment, or of the tag's item */
  tag: string;
  /** the number of comments with the tag */
  uses: number;
  /** its item */
  stored?: { tag: string; uses: number };
}

/** The item of every tag in use has the number of its comments; other tags have no item. Memory holds each tag once. */
export function tagCountsCheck(): Check {
  const counts = new Map<string, TagCount>();
  const countOf = (tag: string): TagCount => {
    const count = counts.get(normalizeName(tag)) ?? { tag, uses: 0 };
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
  const violation = `is on ${uses} comments, its count is ${stored?.uses ?? 0}`;
  const magnitude = Math.round(Math.log2(Math.abs(difference)));
  const signature =
    Math.abs(difference) < LARGE_DIFFERENCE
      ? violation
      : `about 2^${magnitude} too ${difference > 0 ? 'few' : 'many'}`;
  const [key, guard, suffixes] = [tagKey(tag), kinds.tag.unchanged(stored), tagSuffixKeys(tag)];
  const added = stored === undefined ? suffixes : [];
  const repair: Action[] =
    uses === 0
      ? [{ remove: key, ...guard }, ...suffixes.map((remove) => ({ remove }))]
      : [setAction(key, { tag, uses }, guard), ...added.map((put) => ({ put: { ...put } }))];
  return findingsOf(key, [{ violation, signature, repair }]);
}
