import { describe, expect, it } from 'vitest';
import { postingItem, unpack } from '../../lib/bugs/comments/word-index.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import type { Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { exported } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { shortCatalogue } from '../support/short-catalogue.ts';
import { allItems, keyOf, withoutLogTime } from '../support/table-items.ts';

const ADMIN = 'AdminKey00000000000000000000000000000000';

/** The items that do not expire; how postings share items differs from run to run. */
async function contentOf(table: Table): Promise<Map<string, unknown>> {
  const content = new Map<string, unknown>();
  for (const item of (await allItems(table)).map(withoutLogTime)) {
    if ('expires_at' in item) continue;
    const items = item.pk.startsWith('WORD#') ? unpack(postingItem.parse(item)) : [item];
    for (const one of items) content.set(keyOf(one), one);
  }
  return content;
}

describe('applying a catalogue', () => {
  it('changes nothing the second time', async () => {
    const table = await newTable(referenceCatalogue());
    const before = await contentOf(table);
    const summary = await applyCatalogue(table, referenceCatalogue());
    expect(await contentOf(table)).toEqual(before);
    for (const { added, changed } of Object.values(summary)) expect([added, changed]).toEqual([0, 0]);
  });

  it('leaves a valid table when several runs conflict', async () => {
    const [original, table] = [await newTable(shortCatalogue()), await newTable()];
    const runs = await Promise.allSettled(
      Array.from({ length: 3 }, () => applyCatalogue(table, shortCatalogue())),
    );
    for (const run of runs) if (run.status === 'rejected') expect(run.reason).toBeInstanceOf(ConditionFailed);
    await applyCatalogue(table, shortCatalogue());
    await expectNoViolations(table);
    const [expected, found] = [await contentOf(original), await contentOf(table)];
    // Ids that are not in the file may differ.
    const given = (content: Map<string, unknown>) =>
      [...content.keys()].filter((key) => !/^USER(ID#|INDEX )/.test(key)).sort();
    expect(given(found)).toEqual(given(expected));
    expect(found.get('TAG#spam TAG')).toEqual(expected.get('TAG#spam TAG'));
  });

  it('adds comments and tags to existing bugs', async () => {
    const table = await newTable();
    const catalogue = shortCatalogue(2);
    const bug = catalogue.bugs.find(({ id }) => id === 2);
    const last = bug?.comments.pop();
    await applyCatalogue(table, catalogue);
    if (last !== undefined) bug?.comments.push({ ...last, tags: ['late'] });
    const summary = await applyCatalogue(table, catalogue);
    expect(summary.comments.added).toBe(1);
    const bugless = await serve(table);
    const { body } = await bugless.call('GET', '/rest/bug/2/comment?include_fields=id,tags,count');
    expect(body.bugs['2'].comments.at(-1)).toEqual({ id: last?.id, count: 2, tags: ['late'] });
  });

  it('advances the counters past the ids of the file', async () => {
    const table = await newTable(referenceCatalogue());
    const bugless = await serve(table);
    const body = { name: 'Next', description: 'd', version: '1' };
    const { body: created } = await bugless.call('POST', '/rest/product', { key: ADMIN, body });
    expect(created).toEqual({ id: 14 });
  });
});

it('a catalogue is refused for contradictions within the file', () => {
  const comment = (id: number, time: string) => ({ id, text: 't', creator: 'b', creation_time: time });
  const bug = { product: 'A', component: 'C', summary: 's', reporter: 'b' };
  const parse = () =>
    parseNumbered({
      products: [{ name: 'A', default_milestone: 'M', milestones: [{ name: 'N' }] }, { name: 'a' }],
      bugs: [
        { ...bug, id: 1, comments: [comment(1, '2024-01-02'), comment(2, '2024-01-01')] },
        { ...bug, id: 1, comments: [comment(1, '2024-01-01')] },
      ],
    });
  for (const path of [
    '$.products[0].default_milestone',
    '$.products[1]: appears twice in the file',
    '$.bugs[0].comments[1].creation_time',
    '$.bugs[1].id',
    '$.bugs[1].comments[0].id',
  ]) {
    expect(parse).toThrow(path);
  }
});

it('an export contains no API keys, only hashes', async () => {
  const text = await exported(await newTable(referenceCatalogue()));
  expect(text).not.toContain(ADMIN);
  expect(text).toContain('key_sha256');
});
