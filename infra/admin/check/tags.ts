import { tagItem } from '../../../lib/comment-tags/schema.ts';
import { commentItem } from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { keyOf, tagKey, tagSuffixKeys } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { normalizeName } from '../../../lib/text.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readValid } from './item-kinds.ts';

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
      for (const item of items) {
        if (item.sk === 'TAG') {
          countOf(tagItem.parse(item).tag).stored = tagItem.parse(item).uses;
        } else if (kindOf(item.pk) === 'BUG' && kindOf(item.sk) === 'COMMENT') {
          for (const tag of commentItem.parse(item).tags) countOf(tag).uses += 1;
        }
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

/** Every tag has an item for each of its suffixes, and every suffix item belongs to a tag. */
export function tagSuffixesCheck(table: Table): Check {
  return {
    async scan(items) {
      const [missing, stray] = await Promise.all([
        missingSuffixes(table, items),
        straySuffixes(table, items),
      ]);
      return [...missing, ...stray];
    },
  };
}

async function missingSuffixes(table: Table, items: Item[]): Promise<Finding[]> {
  const desired = items
    .filter(({ sk }) => sk === 'TAG')
    .map((item) => tagItem.parse(item).tag)
    .flatMap((tag) => tagSuffixKeys(tag).map((key) => ({ tag, key })));
  const read = await readValid(
    table,
    desired.map(({ key }) => key),
  );
  const existing = new Set(read.map(keyText));
  return desired
    .filter(({ key }) => !existing.has(keyText(key)))
    .map(({ tag, key }) => ({
      item: keyText(key),
      violation: `is missing; the tag '${tag}' has this suffix`,
      repair: [{ put: { ...key } }, { check: tagKey(tag), condition: 'attribute_exists(pk)' }],
    }));
}

async function straySuffixes(table: Table, items: Item[]): Promise<Finding[]> {
  const suffixes = items
    .filter(({ pk }) => kindOf(pk) === 'TAGSUFFIX')
    .map((item) => ({ item, tag: item.sk.split('#')[1] ?? '' }));
  const read = await readValid(
    table,
    suffixes.map(({ tag }) => tagKey(tag)),
  );
  const existing = new Set(read.map(({ pk }) => pk));
  return suffixes.flatMap(({ item, tag }): Finding[] => {
    const key = keyOf(item);
    const isSuffix = tagSuffixKeys(tag).some((suffix) => keyText(suffix) === keyText(key));
    if (isSuffix && existing.has(tagKey(tag).pk)) return [];
    const violation = isSuffix
      ? `is a suffix of the tag '${tag}', which is not in use`
      : `is not a suffix of '${tag}'`;
    const unchanged: Action[] = isSuffix ? [{ check: tagKey(tag), condition: ABSENT }] : [];
    return [{ item: keyText(item), violation, repair: [{ remove: key }, ...unchanged] }];
  });
}
