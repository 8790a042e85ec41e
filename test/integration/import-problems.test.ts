import { describe, expect, it } from 'vitest';
import { catalogueBug } from '../../infra/import/catalogue-bugs.ts';
import { sanitizeCatalogue } from '../../infra/import/sanitize.ts';
import { bugsResponse } from '../../infra/import/source-schema.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import {
  addUsers,
  importInto,
  problemLines,
  required,
  shortCatalogue,
  sortDeep,
} from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { aBug, aProduct } from '../support/small-catalogue.ts';

describe('problems of an import', () => {
  it('are invalid parts of products and bugs; the rest is copied', async () => {
    const catalogue = shortCatalogue();
    const alpha = required(catalogue.products.find(({ id }) => id === 2));
    required(alpha.components.find(({ name }) => name === 'api')).name = 'x'.repeat(65);
    required(alpha.versions[0]).name = 'v'.repeat(70);
    const [one, two, three] = catalogue.bugs;
    required(one).aliases = ['alpha-bug', 'a'.repeat(41)];
    required(two).component = 'x'.repeat(65);
    required(required(three).comments[0]).tags = ['ok-tag', 'not a tag'];
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const result = await importInto(await newTable(), bugzilla.url, { products: ['Alpha'] });
    const parts = problemLines(result, 'parts of products and bugs not copied');
    expect(parts.some((one) => one.startsWith(`product 'Alpha', components '${'x'.repeat(65)}'`))).toBe(true);
    expect(parts.some((one) => one.startsWith(`product 'Alpha', versions '${'v'.repeat(70)}'`))).toBe(true);
    expect(parts.some((one) => one.startsWith(`bug 1, aliases '${'a'.repeat(41)}'`))).toBe(true);
    expect(parts.some((one) => one.startsWith("bug 3, tags 'not a tag'"))).toBe(true);
    expect(parts).toHaveLength(4);
    expect(problemLines(result, 'bugs not copied')).toEqual([
      'bug 2: component must have at most 64 characters',
    ]);
    expect(result.summary).toMatchObject({ products: { added: 1 }, bugs: { added: 2 } });
  });

  it('are values that cannot be stored, each without the others', async () => {
    const catalogue = shortCatalogue();
    const [one, , three, four, five] = catalogue.bugs.map(required);
    const numbered = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}-${n}`);
    required(one).estimated_time = 1e300;
    required(three).aliases = numbered(120, 'alias');
    required(five).keywords = numbered(300, 'x'.repeat(65));
    const bugzilla = await startSimulatedBugzilla(catalogue);
    bugzilla.content.changed.set(required(required(four).id), 'NaN');
    const table = await newTable();
    const result = await importInto(table, bugzilla.url, { products: ['Alpha', 'Secret', 'Closed'] });
    expect(problemLines(result, 'bugs not copied')).toEqual([
      `bug ${required(four).id}: last_change_time: is not a time`,
    ]);
    expect(result.summary.bugs.added).toBe(catalogue.bugs.length - 1);
    const parts = problemLines(result, 'parts of products and bugs not copied');
    expect(parts).toContainEqual(expect.stringMatching(`^bug ${one?.id}, estimated_time '1e\\+300': `));
    expect(parts.filter((line) => line.startsWith(`bug ${five?.id}, keywords 'x`))).toHaveLength(300);
    await expectNoViolations(table);
  });

  it('are summaries of several lines, and texts that are too long', async () => {
    const catalogue = shortCatalogue();
    const [one, two, three] = catalogue.bugs.filter(({ product }) => product === 'Alpha').map(required);
    Object.assign(required(one), { summary: 'first\n\tsecond ', whiteboard: 'é'.repeat(40_000) });
    Object.assign(required(two), { summary: '' });
    Object.assign(required(three), { summary: 's'.repeat(300) });
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const table = await newTable();
    const result = await importInto(table, bugzilla.url, { products: ['Alpha'] });
    expect(problemLines(result, 'bugs with changed texts')).toEqual([
      expect.stringMatching(`^bug ${one?.id}, summary: it must be one line .*; here it is 'first second'$`),
      `bug ${one?.id}, whiteboard: it must have at most 65535 bytes; here it is '${'é'.repeat(80)}'`,
      `bug ${two?.id}, summary: it must not be blank; here it is '(no summary)'`,
      `bug ${three?.id}, summary: it must have at most 255 characters; here it is '${'s'.repeat(80)}'`,
    ]);
    const stored = await bugRepository(table, () => new Date()).byIds([one, two].map((bug) => bug?.id ?? 0));
    expect(stored.get(one?.id ?? 0)).toMatchObject({
      summary: 'first second',
      whiteboard: 'é'.repeat(32_767),
    });
    await expectNoViolations(table);
  });

  it('are comments, groups and bugs hidden from the API key', async () => {
    const catalogue = shortCatalogue(9);
    for (const comment of required(catalogue.bugs.find(({ id }) => id === 9)).comments)
      comment.is_private = true;
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const table = await newTable();
    const result = await importInto(table, bugzilla.url, { partial: true }, { key: keys.plain });
    expect(problemLines(result, 'bugs with comments hidden from the API key')).toEqual([
      expect.stringContaining('bug 1: at least 1 comments'),
    ]);
    // Nothing but their numbers shows that comments are hidden, and there are none.
    expect(problemLines(result, 'bugs with changed comments')).toContain(
      'bug 9: Bugzilla has no comments of it: its description is empty here',
    );
    expect(problemLines(result, 'groups with another name or id')).toEqual([
      expect.stringContaining(
        'group 18: its name is hidden from the API key; here it is named bugzilla-group-18',
      ),
    ]);
    await expectNoViolations(table);
    const bugless = await (await serve(table)).listen();
    const { body } = await bugless.call('GET', '/rest/product/2');
    expect(sortDeep(body)).toEqual(sortDeep(bugzilla.respond('/rest/product?ids=2').body));
    expect((await bugless.call('GET', '/rest/bug/4/comment')).status).toBe(404);
  });

  it('come with notes on a missing API key and on a required login', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const options = { products: ['Closed'] };
    const open = await importInto(await newTable(), bugzilla.url, options, { key: undefined });
    expect(open.notes.join()).toContain('Without an API key');
    bugzilla.content.requiresLogin = true;
    const closed = await importInto(await newTable(), bugzilla.url, { ...options, requiresLogin: true });
    expect(closed.notes.join()).toContain('requires login');
    expect(closed.summary.bugs.added).toBe(1);
    bugzilla.content.requiresLogin = false;
    bugzilla.decide = ({ key }) => (key === undefined ? { status: 400, body: '{"error":true}' } : 'answer');
    await expect(importInto(await newTable(), bugzilla.url)).rejects.toThrow('no message');
  });

  it('are truncated and renumbered comments', async () => {
    const catalogue = shortCatalogue(7);
    const { comments } = required(catalogue.bugs.find(({ id }) => id === 7));
    required(comments[1]).text = '';
    required(comments[2]).text = 'é'.repeat(65_536);
    const bugzilla = await startSimulatedBugzilla(catalogue);
    bugzilla.content.hasOneAlias = true;
    const table = await newTable();
    const result = await importInto(table, bugzilla.url, { products: ['Alpha'] });
    const changed = problemLines(result, 'bugs with changed comments');
    expect(changed).toContainEqual(expect.stringContaining('bug 7: truncated to 65535 characters'));
    expect(changed).toContainEqual(expect.stringContaining('bug 1: duplicate comment numbers in Bugzilla'));
    await addUsers(table);
    const bugless = await (await serve(table)).listen();
    const { body } = await bugless.call('GET', '/rest/bug/write-bug/comment?include_fields=text', {
      key: keys.admin,
    });
    expect(body.bugs['7'].comments.map(({ text }: { text: string }) => text.length)).toEqual([
      expect.any(Number),
      0,
      65_535,
    ]);
  });

  it('are products whose id belongs to another one here', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable(parseCatalogue({ products: [{ id: 12, name: 'Taken' }] }));
    const options = { products: ['beta', 'Closed', 'TestProduct'] };
    const result = await importInto(table, bugzilla.url, options);
    expect(problemLines(result, 'products not copied')).toEqual([
      "product 'beta': id: the product 12 is 'Taken', not 'beta'; nor are its bugs",
    ]);
    expect(result.summary.products.added).toBe(2);
    const kind = 'parts of products with another id';
    expect(problemLines(result, kind)).toContain(
      "product 'TestProduct', versions 'unspecified': the product 'Taken' has the version 1",
    );
    const again = await importInto(table, bugzilla.url, options);
    expect(problemLines(again, kind)).toHaveLength(problemLines(result, kind).length);
    expect(again.summary.products).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    await expectNoViolations(table);
  });
});

const source = required(
  bugsResponse.parse({
    bugs: [
      {
        ...{ id: 1, product: 'P', component: 'C', summary: 'S', creator: 'a', groups: [] },
        last_change_time: '2024-01-01T00:00:00Z',
      },
    ],
  }).bugs[0],
);
const described = {
  ...{ id: 10, count: 0, text: 'Text', creator: 'a', creation_time: '2024-01-01T00:00:00Z', time: undefined },
  ...{ is_private: false, attachment_id: undefined, tags: [] },
};
const nothing = { history: [], attachments: [], customTypes: new Map<string, number>() };

describe('custom fields', () => {
  it('are left out, as are their values, where the table has them with another type', async () => {
    const field = { name: 'cf_build', display_name: 'Build' };
    const content = {
      products: [aProduct()],
      bug_fields: [{ ...field, type: 1 }],
      bugs: [aBug(1, { cf_build: 'a' })],
    };
    const source = await (await serve(await newTable(parseNumbered(content)))).listen();
    const table = await newTable(parseNumbered({ bug_fields: [{ ...field, type: 10 }] }));
    const result = await importInto(table, source.url, {}, { key: undefined });
    expect(problemLines(result, 'parts of products and bugs not copied')).toEqual([
      "field cf_build: the field 'cf_build' has the type 10, not 1",
    ]);
    expect(result.summary.bugs.added).toBe(1);
    expect((await exportedCatalogue(table)).bugs[0]).not.toHaveProperty('cf_build');
  });
});

describe('a converted bug', () => {
  it('has no duplicate where Bugzilla says so, and nothing of a field that Bugzilla does not have', () => {
    const { bugs } = bugsResponse.parse({ bugs: [{ ...source, dupe_of: null, estimated_time: null }] });
    const { bug } = catalogueBug(required(bugs[0]), { ...nothing, comments: [] });
    expect(bug).toHaveProperty('dupe_of', null);
    for (const name of ['whiteboard', 'deadline', 'cc', 'keywords', 'is_cc_accessible', 'estimated_time']) {
      expect(bug[name]).toBeUndefined();
    }
  });

  it('has attachments with content types that can be sent', () => {
    const attachment = (id: number, content_type: string) => ({
      ...{ id, content_type, file_name: 'f', summary: 's', creator: 'a', data: 'YQ==', flags: [] },
      ...{ creation_time: '2024-01-01T00:00:00Z', last_change_time: '2024-01-01T00:00:00Z' },
      ...{ is_patch: false, is_private: false, is_obsolete: false },
    });
    const attachments = [attachment(1, 'text/plain'), attachment(2, 'text/plain; name="a"')];
    const { bug, problems } = catalogueBug(source, { ...nothing, comments: [described], attachments });
    expect(bug['attachments']).toMatchObject([
      { content_type: 'text/plain' },
      { content_type: 'application/octet-stream' },
    ]);
    expect(problems.map(({ where }) => where)).toEqual(['bug 1, attachment 2']);
  });

  it('lacks the fields that the source lacks, so that the table keeps its values', () => {
    const given = { id: 1, product: 'P', component: 'C', summary: 's', creator: 'a', whiteboard: null };
    const times = { creation_time: '2024-01-01T00:00:00Z', last_change_time: '2024-01-01T00:00:00Z' };
    const parsed = bugsResponse.parse({ bugs: [{ ...given, ...times, groups: [] }] });
    expect(parsed.bugs[0]).toMatchObject({ whiteboard: '' });
    expect(parsed.bugs[0]).not.toHaveProperty('url');
  });

  it('has the values of custom fields that fit their types', () => {
    const given = {
      ...{ cf_text: 'a', cf_bug: 'no number', cf_day: '2024-02-30 00:00:00', cf_number: '7' },
      ...{ cf_list: ['b', ''], cf_time: '2024-01-31 12:00:00', cf_choice: 'c', cf_none: null },
    };
    const customTypes = new Map([
      ['cf_text', 1],
      ['cf_bug', 6],
      ['cf_day', 9],
      ['cf_number', 10],
      ['cf_list', 3],
      ['cf_time', 5],
      ['cf_choice', 2],
      ['cf_none', 4],
      ['cf_absent', 4],
    ]);
    const { bug, problems } = catalogueBug(
      { ...source, ...given },
      { ...nothing, comments: [described], customTypes },
    );
    expect(bug).toMatchObject({
      ...{ cf_text: 'a', cf_bug: null, cf_day: null, cf_number: 7 },
      ...{ cf_list: ['b'], cf_time: '2024-01-31T12:00:00Z', cf_choice: 'c', cf_none: null },
    });
    expect(bug).not.toHaveProperty('cf_absent');
    expect(problems.map(({ where }) => where)).toEqual(['bug 1, cf_bug', 'bug 1, cf_day']);
  });
});

describe('a converted comment', () => {
  const comment = (id: number, count: number | undefined, time: string) => ({
    id,
    count,
    text: '',
    creator: 'a',
    creation_time: time,
    time,
    is_private: false,
    attachment_id: undefined,
    tags: [],
  });

  it('keeps its position, and is not earlier than the previous comment', () => {
    const comments = [
      comment(12, 2, '2024-01-01T00:00:01Z'),
      comment(10, 0, '2024-01-01T00:00:00Z'),
      comment(11, 1, '2024-01-01T00:00:05Z'),
    ];
    const { bug, problems } = catalogueBug(source, { ...nothing, comments });
    expect(bug['comments']).toMatchObject([
      { id: 10, creation_time: '2024-01-01T00:00:00Z' },
      { id: 11, creation_time: '2024-01-01T00:00:05Z' },
      { id: 12, creation_time: '2024-01-01T00:00:05Z' },
    ]);
    expect(problems.map(({ why }) => why)).toEqual([
      'times before that of the previous comment: comments 12',
    ]);
  });

  it('has no more tags than one can have', () => {
    const tags = Array.from({ length: 1_001 }, (_, n) => `tag-${n}`);
    const comments = [{ ...comment(10, 0, '2024-01-01T00:00:00Z'), tags }];
    const { bug, problems } = catalogueBug(source, { ...nothing, comments });
    expect(bug['comments']).toMatchObject([{ tags: tags.slice(0, 1_000) }]);
    expect(problems).toMatchObject([{ where: 'bug 1', why: 'only the first 1000 tags: comments 10' }]);
    expect(sanitizeCatalogue('bugs', bug).removed).toEqual([]);
  });

  it('may be one of 130,000 of its bug', () => {
    // More than the arguments that a function takes.
    const comments = Array.from({ length: 130_000 }, (_, n) => comment(n + 1, n, '2024-01-01T00:00:00Z'));
    const { bug: converted, problems } = catalogueBug(source, { ...nothing, comments });
    expect(problems).toEqual([]);
    const { catalogue, removed } = sanitizeCatalogue('bugs', converted);
    expect([catalogue?.bugs[0]?.comments.length, removed]).toEqual([130_000, []]);
  });

  it('is ordered by number, then id; without numbers the order is kept', () => {
    const time = '2024-01-01T00:00:00Z';
    const order = (comments: ReturnType<typeof comment>[]) =>
      catalogueBug(source, { ...nothing, comments }).bug['comments'];
    expect(order([comment(10, 0, time), comment(12, 1, time), comment(11, 1, time)])).toMatchObject([
      { id: 10 },
      { id: 11 },
      { id: 12 },
    ]);
    expect(order([comment(10, undefined, time), comment(12, undefined, time)])).toMatchObject([
      { id: 10 },
      { id: 12 },
    ]);
  });
});
