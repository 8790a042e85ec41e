import { lstat, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { adminOf, runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';

const number = (...args: string[]) => runAdmin(['number', ...args], {});

/** The content of a file after `number`. */
const numbered = (content: string, ...options: string[]): Promise<string> =>
  inNewFolder(async (folder) => {
    const file = join(folder, 'catalogue');
    await writeFile(file, content);
    expect(await number(file, ...options)).toMatchObject({ code: 0 });
    return readFile(file, 'utf8');
  });

const linesOf = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

describe('npm run admin -- number FILE', () => {
  it.each([
    {
      what: 'no ids',
      given: [{ comments: [{}, {}] }, { comments: [{}] }],
      expected: [
        { id: 1, comments: [{ id: 1 }, { id: 2 }] },
        { id: 2, comments: [{ id: 3 }] },
      ],
    },
    {
      what: 'some ids',
      given: [{ comments: [{}] }, { id: 7, comments: [{ id: 20 }, {}] }, { comments: [{}] }],
      expected: [
        { id: 8, comments: [{ id: 21 }] },
        { id: 7, comments: [{ id: 20 }, { id: 22 }] },
        { id: 9, comments: [{ id: 23 }] },
      ],
    },
    {
      what: 'attachments and flags',
      given: [{ flags: [{}, { id: 4 }], attachments: [{ flags: [{}] }, { id: 2, flags: [] }] }],
      expected: [
        {
          id: 1,
          flags: [{ id: 5 }, { id: 4 }],
          attachments: [
            { id: 3, flags: [{ id: 6 }] },
            { id: 2, flags: [] },
          ],
        },
      ],
    },
    {
      what: 'references to bugs and attachments that it does not have',
      given: [
        { blocks: [3, 12], depends_on: [5], dupe_of: 8, comments: [{ attachment_id: 6 }], attachments: [{}] },
      ],
      expected: [
        {
          id: 13,
          blocks: [3, 12],
          depends_on: [5],
          dupe_of: 8,
          comments: [{ id: 1, attachment_id: 6 }],
          attachments: [{ id: 7 }],
        },
      ],
    },
  ])('gives the ids above the greatest, in order, in a file with $what', async ({ given, expected }) => {
    expect(JSON.parse(await numbered(JSON.stringify({ users: [], bugs: given })))).toEqual({
      users: [],
      bugs: expected,
    });
    const lines = linesOf({ users: [] }, ...given.map((bug) => ({ bug })));
    expect(parsed(await numbered(lines))).toEqual([{ users: [] }, ...expected.map((bug) => ({ bug }))]);
  });

  it('gives ids to lines of attachments', async () => {
    const given = linesOf(
      { bug: { id: 1 }, import: { changed: true } },
      { attachment: { bug_id: 9, flags: [{}] } },
      { bug: {} },
      { attachment: { id: 4 } },
    );
    expect(parsed(await numbered(given))).toEqual([
      { bug: { id: 1 }, import: { changed: true } },
      { attachment: { id: 5, bug_id: 9, flags: [{ id: 1 }] } },
      { bug: { id: 10 } },
      { attachment: { id: 4 } },
    ]);
  });

  it.each([
    ['an object', `${JSON.stringify({ bugs: [{ comments: [{}] }, {}] })}`],
    ['lines', linesOf({ bug: { comments: [{}] } }, { bug: {} }, { users: [] })],
  ])('changes nothing when it is run again on %s', async (_, given) => {
    const once = await numbered(given);
    expect(await numbered(once)).toBe(once);
    expect(await numbered(given)).toBe(once);
  });

  it.each([
    ['an object', '{ "bugs": [\n {"id": 3,  "comments": [{"id": 4}]} ] }'],
    ['lines', '{"bug":  {"id": 3, "comments": [{"id": 4}]}}\n{ "users": [] }\n'],
  ])('leaves %s with all ids as it is, byte by byte', async (_, given) => {
    expect(await numbered(given)).toBe(given);
  });

  it('gives no id below --from', async () => {
    const given = JSON.stringify({ bugs: [{ id: 3, comments: [{}] }, { comments: [{ id: 200 }, {}] }] });
    expect(JSON.parse(await numbered(given, '--from', '100'))).toEqual({
      bugs: [
        { id: 3, comments: [{ id: 201 }] },
        { id: 100, comments: [{ id: 200 }, { id: 202 }] },
      ],
    });
  });

  it('writes OUTPUT, and leaves FILE', async () => {
    await inNewFolder(async (folder) => {
      const [file, output] = [join(folder, 'in'), join(folder, 'out')];
      await writeFile(file, '{"bugs": [{}]}');
      expect(await number(file, output)).toMatchObject({ code: 0 });
      expect(await readFile(file, 'utf8')).toBe('{"bugs": [{}]}');
      expect(JSON.parse(await readFile(output, 'utf8'))).toEqual({ bugs: [{ id: 1 }] });
    });
  });

  it.each(['0', '-1', 'x', '1e3'])('refuses --from %s', async (from) => {
    expect(await number('any', `--from=${from}`)).toMatchObject({ code: 2 });
  });

  it('leaves what is not JSON, and says where', async () => {
    await inNewFolder(async (folder) => {
      const file = join(folder, 'in');
      const given = '{"bug": {}}\n{"bug": \n';
      await writeFile(file, given);
      const { code, stderr } = await number(file);
      expect(code).toBe(1);
      expect(stderr).toContain(`line 2 of ${file} is not JSON`);
      expect(await readFile(file, 'utf8')).toBe(given);
    });
  });

  it('does not replace a link', async () => {
    await inNewFolder(async (folder) => {
      const [file, link] = [join(folder, 'in'), join(folder, 'link')];
      await writeFile(file, '{"bugs": [{}]}');
      await symlink(file, link);
      expect(await number(link)).toMatchObject({ code: 2 });
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
    });
  });
});

describe('a numbered catalogue', () => {
  it('is refused where the table has other bugs with its ids, and applied with ids --from above them', async () => {
    const existing = aBug(1, { comments: [aComment('first', { id: 1 })] });
    const table = await newTable(parseCatalogue({ products: [aProduct()], bugs: [existing] }));
    const admin = adminOf(table);
    await inNewFolder(async (folder) => {
      const [file, output] = [join(folder, 'in'), join(folder, 'out')];
      const bugs = [aBug(undefined, { summary: 'Another', comments: [aComment('another')] })];
      await writeFile(file, JSON.stringify({ products: [aProduct()], bugs }));
      await number(file, output);
      const refused = await admin('apply', output);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('$.bugs[0].comments[0].text: the comment 1 has another text');
      await number(file, output, '--from', '2');
      expect(await admin('apply', output)).toMatchObject({ code: 0 });
      expect((await admin('apply', output)).stdout).toContain('bugs: 0 added, 0 changed, 1 unchanged');
    });
    expect((await exportedCatalogue(table)).bugs).toMatchObject([
      { id: 1, comments: [{ id: 1, text: 'first' }] },
      { id: 2, comments: [{ id: 2, text: 'another' }] },
    ]);
    await expectNoViolations(table);
  });
});

const parsed = (content: string): unknown[] =>
  content
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
