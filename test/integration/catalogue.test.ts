import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { postingItem, unpack } from '../../lib/comments/word-index.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { ConditionFailed } from '../../lib/dynamodb/errors.ts';
import { bugKey } from '../../lib/dynamodb/keys.ts';
import { type Bugless, newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { exported } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems, keyOf } from '../support/table-items.ts';

const ADMIN = 'AdminKey00000000000000000000000000000000';
const USER = 'UserKey000000000000000000000000000000000';

/** The items that do not expire; how postings share items differs from run to run. */
async function contentOf(table: Table): Promise<Map<string, unknown>> {
  const content = new Map<string, unknown>();
  for (const item of await allItems(table)) {
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

  it('recognizes entries without ids', async () => {
    const table = await newTable();
    const catalogue = parseCatalogue({
      users: [{ login: 'a@example.org', api_keys: [{ key: 'k'.repeat(40) }] }],
      groups: [{ name: 'team' }],
      products: [
        {
          name: 'Thing',
          components: [{ name: 'Core' }, { name: 'UI' }],
          versions: [{ name: '1' }],
          flag_types: [{ name: 'review', target: 'bug', components: ['UI'] }],
        },
      ],
      bugs: [
        {
          product: 'Thing',
          component: 'Core',
          summary: 'It does not',
          reporter: 'a@example.org',
          comments: [
            {
              text: 'At all',
              creator: 'a@example.org',
              creation_time: '2024-01-01T00:00:00Z',
              tags: ['sad'],
            },
          ],
        },
      ],
    });
    await applyCatalogue(table, catalogue);
    const before = await contentOf(table);
    await applyCatalogue(table, catalogue);
    expect(await contentOf(table)).toEqual(before);
  });

  it('resumes an interrupted run', async () => {
    const original = await newTable(referenceCatalogue());
    const table = await newTable();
    let steps = 0;
    for (let until = 1; ; until += 5) {
      steps = 0;
      const report = () => {
        steps += 1;
        if (steps === until) throw new Error('interrupted');
      };
      const run = applyCatalogue(table, referenceCatalogue(), { report });
      const interrupted = await run.then(
        () => false,
        () => true,
      );
      if (!interrupted) break;
    }
    const [a, b] = [await contentOf(original), await contentOf(table)];
    expect([...b.keys()].sort()).toEqual([...a.keys()].sort());
    expect(b.get('TAG#spam TAG')).toEqual(a.get('TAG#spam TAG'));
  });

  it.each([
    { what: 'a file', already: {} },
    { what: 'its bugs', already: { ...referenceCatalogue(), bugs: [] } },
  ])('leaves a valid table when several runs of $what conflict', async ({ already }) => {
    const [original, table] = await Promise.all([newTable(), newTable()]);
    for (const one of [original, table]) await applyCatalogue(one, parseCatalogue(already));
    await applyCatalogue(original, referenceCatalogue());

    const runs = await Promise.allSettled(
      Array.from({ length: 3 }, () => applyCatalogue(table, referenceCatalogue())),
    );
    for (const run of runs) if (run.status === 'rejected') expect(run.reason).toBeInstanceOf(ConditionFailed);
    await applyCatalogue(table, referenceCatalogue());
    await expectNoViolations(table);
    const [expected, found] = [await contentOf(original), await contentOf(table)];
    // Ids that are not in the file may differ.
    const given = (content: Map<string, unknown>) =>
      [...content.keys()].filter((key) => !key.startsWith('USERID#')).sort();
    expect(given(found)).toEqual(given(expected));
    expect(found.get('TAG#spam TAG')).toEqual(expected.get('TAG#spam TAG'));
  });

  it('leaves no items of an interrupted run when the file has changed', async () => {
    const table = await newTable();
    const { bugs, ...rest } = referenceCatalogue();
    const [bug] = bugs;
    const comments = (bug?.comments ?? []).map((comment) => ({
      ...comment,
      creation_time: '2019-01-01T00:00:00Z',
      tags: [],
    }));
    const first = { ...rest, bugs: bugs.slice(0, 1).map((one) => ({ ...one, comments })) };
    await applyCatalogue(table, first);
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...bugKey(bug?.id ?? 0) } }));
    await applyCatalogue(table, referenceCatalogue());
    await expectNoViolations(table);
    const left = [...(await contentOf(table)).keys()].filter((key) => key.includes('COMMENT#2019'));
    expect(left).toEqual([]);
  });

  it('adds comments and tags to existing bugs', async () => {
    const table = await newTable();
    const catalogue = structuredClone(referenceCatalogue());
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

describe('an invalid catalogue', () => {
  it('is refused completely, with the JSON path of each problem', () => {
    const wrong = {
      users: [{ login: ' a' }, { login: 'b', groups: 'x' }],
      products: [
        { name: 'A', components: [{ name: 'C', sort_key: 'first' }] },
        { name: 'a', default_milestone: 'M', milestones: [{ name: 'N' }] },
      ],
      bugs: [{ product: 'A', component: 'C', summary: 's', reporter: 'b', comments: [] }],
      bugz: [],
    };
    const message = messageOf(() => parseCatalogue(wrong));
    for (const path of [
      '$.users[0].login',
      '$.users[1].groups',
      '$.products[0].components[0].sort_key',
      '$.bugs[0].comments',
      '$: ',
    ]) {
      expect(message).toContain(path);
    }
  });

  it('is refused for contradictions within the file', () => {
    const comment = (id: number, time: string) => ({ id, text: 't', creator: 'b', creation_time: time });
    const bug = { product: 'A', component: 'C', summary: 's', reporter: 'b' };
    const message = messageOf(() =>
      parseCatalogue({
        products: [{ name: 'A', default_milestone: 'M', milestones: [{ name: 'N' }] }, { name: 'a' }],
        bugs: [
          { ...bug, id: 1, comments: [comment(1, '2024-01-02'), comment(2, '2024-01-01')] },
          { ...bug, id: 1, comments: [comment(1, '2024-01-01')] },
        ],
      }),
    );
    for (const path of [
      '$.products[0].default_milestone',
      '$.products[1]: appears twice in the file',
      '$.bugs[0].comments[1].creation_time',
      '$.bugs[1].id',
      '$.bugs[1].comments[0].id',
    ]) {
      expect(message).toContain(path);
    }
  });

  it('is refused when a group does not exist', async () => {
    const table = await newTable();
    const catalogue = parseCatalogue({ users: [{ login: 'a', groups: ['unknown'] }] });
    await expect(applyCatalogue(table, catalogue)).rejects.toThrow(
      "$.users[0].groups[0]: there is no group 'unknown'",
    );
  });

  it('does not overwrite another product, bug or key', async () => {
    const table = await newTable(referenceCatalogue());
    const product = parseCatalogue({ products: [{ id: 2, name: 'Omega' }] });
    await expect(applyCatalogue(table, product)).rejects.toThrow(
      "$.products[0].id: the product 2 is 'Alpha'",
    );
    const thief = parseCatalogue({ users: [{ login: 'thief', api_keys: [{ key: ADMIN }] }] });
    await expect(applyCatalogue(table, thief)).rejects.toThrow('belongs to');
  });
});

describe('an export', () => {
  let original: Bugless;
  let restored: Bugless;
  beforeAll(async () => {
    const table = await newTable(referenceCatalogue());
    original = await serve(table);
    const say = (path: string, method: string, body: object) =>
      original.call(method, path, { key: ADMIN, body });
    await say('/rest/product', 'POST', {
      name: 'Späte',
      description: 'ä "q"',
      version: '1',
      default_milestone: 'M',
    });
    await say('/rest/bug/7/comment', 'POST', {
      comment: 'by hand \u{1F600}',
      work_time: 1.25,
      is_private: true,
    });
    await say('/rest/bug/comment/12/tags', 'PUT', { add: ['SPAM', 'Größe'] });
    await say('/rest/bug/comment/10/tags', 'PUT', { remove: ['spam'] });
    const other = await newTable(parseCatalogue(JSON.parse(await exported(table))));
    restored = await serve(other);
  });

  it.each([
    '/rest/product',
    '/rest/product_enterable',
    '/rest/bug/1/comment?ids=2&ids=3&ids=4&ids=5&ids=6&ids=7&ids=8&ids=9',
    '/rest/bug/alpha-bug/comment',
    '/rest/bug/comment/10?comment_ids=12&comment_ids=125',
    '/rest/bug/comment/tags/a',
    '/rest/bug/comment/tags/spam',
    '/rest/user?ids=1&ids=2&ids=9',
  ])('restores the answers byte for byte: %s', async (path) => {
    for (const key of [undefined, USER, ADMIN]) {
      const [a, b] = await Promise.all([
        original.call('GET', path, { key }),
        restored.call('GET', path, { key }),
      ]);
      expect(b.status).toBe(a.status);
      expect(JSON.stringify(b.body)).toBe(JSON.stringify(a.body));
      expect(b.headers.get('etag')).toBe(a.headers.get('etag'));
    }
  });

  it('is the same after applying and exporting again', async () => {
    const lines = async (table: Table) =>
      (await exported(table))
        .split('\n')
        .map((line) => line.replace(/,$/, ''))
        .sort();
    expect(await lines(restored.table)).toEqual(await lines(original.table));
  });

  it('contains no API keys, only hashes', async () => {
    const text = await exported(original.table);
    expect(text).not.toContain(ADMIN);
    expect(text).toContain('key_sha256');
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}
