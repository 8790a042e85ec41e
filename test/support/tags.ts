import { expect } from 'vitest';
import type { Table } from '../../lib/db/client.ts';
import { fold } from '../../lib/text.ts';
import type { Bugless } from './bugless.ts';
import { keys } from './keys.ts';
import { allItems } from './table-items.ts';

/** On how many comments each tag is, by folded tag, as the comments themselves have it. */
export async function usesOnComments(table: Table): Promise<Map<string, number>> {
  const uses = new Map<string, number>();
  for (const { sk, tags } of await allItems(table)) {
    if (!String(sk).startsWith('COMMENT#') || !Array.isArray(tags)) continue;
    for (const tag of tags.map(fold)) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  }
  return uses;
}

/** What of tags the table keeps beside the comments: uses by folded tag, the keys of suffixes, open changes. */
export async function keptTags(table: Table) {
  const items = await allItems(table);
  const of = (kind: string) => items.filter(({ pk }) => String(pk).split('#')[0] === kind);
  return {
    uses: new Map(of('TAG').map(({ pk, uses }) => [String(pk).slice('TAG#'.length), Number(uses)])),
    suffixes: of('TAGSUFFIX').map(({ pk, sk }) => `${pk} ${sk}`),
    open: of('TAGCHANGE').length,
  };
}

/** The keys that the suffixes of these folded tags have: one for each character. */
function suffixesOf(tags: Iterable<string>): string[] {
  return [...tags].flatMap((tag) => {
    const characters = [...tag];
    return characters.map((first, at) => `TAGSUFFIX#${first} ${characters.slice(at).join('')}#${tag}`);
  });
}

/** Checks that counts and suffixes are just what the comments' tags make them, and that no change is open. */
export async function expectTagsToAgree(table: Table): Promise<void> {
  const uses = await usesOnComments(table);
  const kept = await keptTags(table);
  expect(sorted(kept.uses)).toEqual(sorted(uses));
  expect(kept.suffixes.toSorted()).toEqual(suffixesOf(uses.keys()).toSorted());
  expect(kept.open).toBe(0);
}

const sorted = (uses: Map<string, number>) => [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Checks that a search answers exactly the tags on comments that contain `text`, the most used first. */
export async function expectSearchToAgree(bugless: Bugless, text: string): Promise<void> {
  const uses = await usesOnComments(bugless.table);
  const found = await search(bugless, text);
  const expected = [...uses]
    .filter(([tag]) => tag.includes(fold(text)))
    .toSorted(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1));
  expect(found.map(fold)).toEqual(expected.map(([tag]) => tag));
}

/** The tags in use that contain `text`. */
export async function search(bugless: Pick<Bugless, 'call'>, text: string): Promise<string[]> {
  const path = `/rest/bug/comment/tags/${encodeURIComponent(text)}`;
  const { status, body } = await bugless.call('GET', path, { key: keys.tagger });
  expect(status).toBe(200);
  return body;
}
