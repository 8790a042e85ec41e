import { expect } from 'vitest';
import { normalizeName } from '../../lib/base/text.ts';
import type { Table } from '../../lib/table/client.ts';
import type { Bugless } from './bugless.ts';
import { keys } from './keys.ts';
import { allItems } from './table-items.ts';

/** The number of comments with each tag, by normalized tag. */
async function usesOnComments(table: Table): Promise<Map<string, number>> {
  const uses = new Map<string, number>();
  for (const { sk, tags } of await allItems(table)) {
    if (!String(sk).startsWith('COMMENT#') || !Array.isArray(tags)) continue;
    for (const tag of tags.map(normalizeName)) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  }
  return uses;
}

/** Asserts that a search returns exactly the tags of comments that contain `text`, ordered by use. */
export async function expectConsistentTagSearch(bugless: Bugless, text: string): Promise<void> {
  const uses = await usesOnComments(bugless.table);
  const found = await search(bugless, text);
  const expected = [...uses]
    .filter(([tag]) => tag.includes(normalizeName(text)))
    .toSorted(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1));
  expect(found.map(normalizeName)).toEqual(expected.map(([tag]) => tag));
}

/** The tags in use that contain `text`. */
export async function search(bugless: Pick<Bugless, 'call'>, text: string): Promise<string[]> {
  const path = `/rest/bug/comment/tags/${encodeURIComponent(text)}`;
  const { status, body } = await bugless.call('GET', path, { key: keys.tagger });
  expect(status).toBe(200);
  return body;
}
