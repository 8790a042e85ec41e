import { tagItem } from '../../../lib/comment-tags/schema.ts';
import { commentItem } from '../../../lib/comments/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { tagKey, tagSuffixKeys } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { normalizeName } from '../../../lib/text.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readSound } from './item-kinds.ts';

/** What has been seen of a tag. */
interface Seen {
  /** in the spelling of some comment, or of the tag's item */
  tag: string;
  /** on how many comments it is, without changes that are still to be counted */
  uses: number;
  /** how many its item says; undefined: there is none */
  counted: number | undefined;
}

/** Every tag that is on comments says on how many, and no other tag is there. Memory holds each tag once. */
export function tagCountsCheck(): Check {
  const seen = new Map<string, Seen>();
  const of = (tag: string): Seen => {
    const known = seen.get(normalizeName(tag)) ?? { tag, uses: 0, counted: undefined };
    seen.set(normalizeName(tag), known);
    return known;
  };
  return {
    async next(items) {
      for (const item of items) {
        if (item['sk'] === 'TAG') {
          of(tagItem.parse(item).tag).counted = tagItem.parse(item).uses;
        } else if (kindOf(item['pk']) === 'BUG' && kindOf(item['sk']) === 'COMMENT') {
          for (const tag of commentItem.parse(item).tags) of(tag).uses += 1;
        }
      }
      return [];
    },
    async end() {
      return [...seen.values()].flatMap(miscounted);
    },
  };
}

/** What people do to a tag while the table goes by makes it seem miscounted, but not by as much. */
const MUCH = 16;

function miscounted({ tag, uses, counted = 0 }: Seen): Finding[] {
  const more = uses - counted;
  if (more === 0) return [];
  const item = keyText(tagKey(tag));
  const wrong = `it is on ${uses} comments, and counted ${counted} times`;
  const size = Math.round(Math.log2(Math.abs(more)));
  const lasting = Math.abs(more) < MUCH ? wrong : `about 2^${size} too ${more > 0 ? 'few' : 'many'}`;
  return [{ item, wrong, lasting, repair: recounting(tag, uses, counted) }];
}

function recounting(tag: string, uses: number, counted: number): Action[] {
  const key = tagKey(tag);
  const suffixes = tagSuffixKeys(tag);
  if (counted === 0) {
    const item = { put: { ...key, tag, uses }, condition: ABSENT };
    return [item, ...suffixes.map((put): Action => ({ put: { ...put } }))];
  }
  const asRead = { condition: 'uses = :read', values: { ':read': counted } };
  if (uses > 0) {
    return [{ update: key, set: 'SET uses = :uses', ...asRead, values: { ...asRead.values, ':uses': uses } }];
  }
  return [{ remove: key, ...asRead }, ...suffixes.map((remove): Action => ({ remove }))];
}

/** Every tag is found by each of its suffixes, and every suffix is one of a tag. */
export function tagSuffixesCheck(table: Table): Check {
  return {
    async next(items) {
      const [missing, stray] = await Promise.all([
        missingSuffixes(table, items),
        straySuffixes(table, items),
      ]);
      return [...missing, ...stray];
    },
  };
}

async function missingSuffixes(table: Table, items: Item[]): Promise<Finding[]> {
  const wanted = items
    .filter(({ sk }) => sk === 'TAG')
    .map((item) => tagItem.parse(item).tag)
    .flatMap((tag) => tagSuffixKeys(tag).map((key) => ({ tag, key })));
  const read = await readSound(
    table,
    wanted.map(({ key }) => key),
  );
  const there = new Set(read.map(keyText));
  return wanted
    .filter(({ key }) => !there.has(keyText(key)))
    .map(({ tag, key }) => ({
      item: keyText(key),
      wrong: `the tag '${tag}' is not found by this suffix`,
      repair: [{ put: { ...key } }, { check: tagKey(tag), condition: 'attribute_exists(pk)' }],
    }));
}

async function straySuffixes(table: Table, items: Item[]): Promise<Finding[]> {
  const suffixes = items
    .filter(({ pk }) => kindOf(pk) === 'TAGSUFFIX')
    .map((item) => ({ item, tag: String(item['sk']).split('#')[1] ?? '' }));
  const read = await readSound(
    table,
    suffixes.map(({ tag }) => tagKey(tag)),
  );
  const there = new Set(read.map(({ pk }) => pk));
  return suffixes.flatMap(({ item, tag }): Finding[] => {
    const key = { pk: String(item['pk']), sk: String(item['sk']) };
    const isItsOwn = tagSuffixKeys(tag).some((one) => keyText(one) === keyText(key));
    if (isItsOwn && there.has(tagKey(tag).pk)) return [];
    const wrong = isItsOwn
      ? `it is a suffix of '${tag}', which is no tag in use`
      : `it is no suffix of '${tag}'`;
    const still: Action[] = isItsOwn ? [{ check: tagKey(tag), condition: ABSENT }] : [];
    return [{ item: keyText(item), wrong, repair: [{ remove: key }, ...still] }];
  });
}
