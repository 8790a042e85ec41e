import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue, readCatalogueFile } from '../../lib/catalogue/read.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { completeCatalogue } from '../support/complete-catalogue.ts';
import { exported, exportedCatalogue } from '../support/exported.ts';
import { fileFor, importInto, shortCatalogue } from '../support/importing.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';

const options = { products: ['Secret', 'Closed'] };

const TIME = '2024-01-02T03:04:05Z';
const attachment = (id: number) => ({
  ...{ id, file_name: 'f', summary: 's', content_type: 'text/plain', data: 'YQ==' },
  ...{ creator: REPORTER, creation_time: TIME, last_change_time: TIME },
});
const ofBugs = (...bugs: object[]) => parseCatalogue({ products: [aProduct()], bugs });

const startSmallBugzilla = () => {
  const { products, bugs } = ofBugs(
    ...[1, 2, 3].map((id) => aBug(id, { comments: [aComment('text', { id })] })),
  );
  return startSimulatedBugzilla(completeCatalogue({ ...referenceCatalogue(), products, bugs }));
};

type Simulated = Awaited<ReturnType<typeof startSimulatedBugzilla>>;

const bugsRequested = ({ requests }: Simulated): string[] =>
  requests.flatMap(({ target }) => /bug\/(\d+)\/comment/.exec(target)?.[1] ?? []).sort();

describe('the file of an import', () => {
  it('is a catalogue that gives the same when it is applied, and only its owner can read it', async () => {
    const bugzilla = await startSmallBugzilla();
    const table = await newTable();
    const { file } = await importInto(table, bugzilla.url);
    const copy = await newTable();
    await applyCatalogue(copy, await readCatalogueFile(file));
    expect(await exported(copy)).toBe(await exported(table));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('has each bug once, also after it has changed', async () => {
    const bugzilla = await startSmallBugzilla();
    const table = await newTable();
    await importInto(table, bugzilla.url);
    bugzilla.content.changed.set(2, '2026-01-02T00:00:00Z');
    bugzilla.requests.length = 0;
    const { file, unchangedBugs } = await importInto(table, bugzilla.url);
    expect([bugsRequested(bugzilla), unchangedBugs]).toEqual([['2'], 2]);
    const { bugs } = await readCatalogueFile(file);
    expect((await Array.fromAsync(bugs, ({ id }) => id)).sort()).toEqual([1, 2, 3]);
  });

  it('is applied without requests where the table has lost its bugs', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const { file } = await importInto(table, bugzilla.url, options);
    bugzilla.requests.length = 0;
    const restored = await newTable();
    const { summary, unchangedBugs } = await importInto(restored, bugzilla.url, { ...options, file });
    expect([bugsRequested(bugzilla), unchangedBugs, summary.bugs.added]).toEqual([[], 0, 2]);
  });

  it.each([
    { what: 'in a line', cut: (text: string) => text.slice(0, -30), requested: ['3'] },
    { what: 'after a bug', cut: (text: string) => text, requested: [] },
  ])('is continued where it was interrupted $what', async ({ cut, requested }) => {
    const bugzilla = await startSmallBugzilla();
    const table = await newTable();
    const { file } = await importInto(table, bugzilla.url);
    // Without the settings, which are the last line.
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -2);
    await writeFile(file, cut(`${lines.join('\n')}\n`).replaceAll('"is_applied":true', '"is_applied":false'));
    bugzilla.requests.length = 0;
    const again = await newTable();
    await importInto(again, bugzilla.url, { file });
    expect(bugsRequested(bugzilla)).toEqual(requested);
    expect(await exportedCatalogue(again)).toEqual(await exportedCatalogue(table));
    expect((await exportedCatalogue(again)).bugs).toHaveLength(3);
  });

  it('is continued where it was interrupted between a bug and its attachments', async () => {
    const comments = [aComment('text', { id: 1, attachment_id: 1 })];
    const given = ofBugs(aBug(1, { comments, attachments: [attachment(1), attachment(2)] }));
    const source = await (await serve(await newTable(given))).listen();
    const [table, again] = [await newTable(), await newTable()];
    const key = { key: undefined };
    const { file } = await importInto(table, source.url, {}, key);
    const [bug = '', first = '', second = ''] = (await readFile(file, 'utf8')).split('\n');
    expect([bug, first, second].map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
      'bug',
      'attachment',
      'attachment',
    ]);
    await writeFile(file, `${bug}\n${first}\n`);
    await importInto(again, source.url, { file }, key);
    expect((await exportedCatalogue(again)).bugs[0].attachments).toHaveLength(2);
    expect(await exported(again)).toBe(await exported(table));
  });

  it('is not a file of something else', async () => {
    const bugzilla = await startSmallBugzilla();
    const table = await newTable();
    const { file } = await importInto(table, bugzilla.url);
    const elsewhere = await startSmallBugzilla();
    await expect(importInto(await newTable(), elsewhere.url, { file })).rejects.toThrow(
      `is of an import from ${bugzilla.url}`,
    );
    await appendFile(file, `${JSON.stringify({ bug: { id: 7 } })}\n`);
    await expect(importInto(table, bugzilla.url)).rejects.toThrow('is not a file of an import');
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -2);
    const settings = JSON.stringify({ groups: [], import: { products: 'damaged' } });
    await writeFile(file, `${[...lines, settings].join('\n')}\n`);
    await expect(importInto(table, bugzilla.url)).rejects.toThrow(`see line ${lines.length + 1}`);
    await writeFile(file, 'a note\n');
    await expect(importInto(table, bugzilla.url)).rejects.toThrow('is not a file of an import');
    expect(await readFile(fileFor(table), 'utf8')).toBe('a note\n');
  });
});
