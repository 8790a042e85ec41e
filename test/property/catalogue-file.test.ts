import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../lib/catalogue/lines.ts';
import { parseCatalogue, readCatalogueFile } from '../../lib/catalogue/read.ts';
import type { CatalogueBug } from '../../lib/catalogue/schema.ts';
import { aBug, aComment, aFile } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';

/** The lines of a file that is read in chunks. */
async function split(file: Buffer, chunkBytes: number) {
  const chunks: Buffer[] = [];
  for (let start = 0; start < file.length; start += chunkBytes) {
    chunks.push(file.subarray(start, start + chunkBytes));
  }
  return Array.fromAsync(linesOf(chunks), ({ number, start, content }) => {
    expect(file.subarray(start, start + content.length)).toEqual(content);
    return { number, value: JSON.parse(content.toString()) };
  });
}

/** JSON escapes line feeds and carriage returns in strings, but none of the other ends of lines. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u2028', 'a\u2028b\u2029', '\u0085', '\v\f', '\r\n', '\\n', '"'),
);

it('the lines of a file end at line feeds only, however the file is written and read', async () => {
  const line = fc.oneof(text, fc.array(text), fc.dictionary(text, text), fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      async (values, chunk, end, isEnded) => {
        // Of undefined: an empty line.
        const lines = values.map((value) => (value === undefined ? '' : JSON.stringify(value)));
        const file = lines.join(end) + (isEnded ? end : '');
        const expected = values.map((value, index) => ({ number: index + 1, value }));
        expect(await split(Buffer.from(file), chunk)).toEqual(
          expected.filter(({ value }) => value !== undefined),
        );
      },
    ),
  );
});

const AUTHOR = 'a@example.org';
let lastId = 100;
/** A bug whose comment has an id that no other one has. */
function bugWith(fields: { id?: number; [field: string]: unknown }) {
  lastId += 1;
  return aBug(lastId, { comments: [aComment('Description', { id: lastId })], ...fields });
}
const attached = (data: unknown) => aFile(1, { creator: AUTHOR, data });

type Whole = { bugs: object[]; [name: string]: unknown };

/** A catalogue as lines. */
function inLines({ bugs, ...settings }: Whole, isLast = false): string {
  const lines = bugs.flatMap((bug) => {
    const { attachments = [], ...fields } = bug as { id?: number; attachments?: object[] };
    return [{ bug: fields }, ...attachments.map((one) => ({ attachment: { ...one, bug_id: fields.id } }))];
  });
  const all = isLast ? [...lines, settings] : [settings, ...lines];
  return all.map((one) => JSON.stringify(one)).join('\n');
}

const reading = (content: string) =>
  inNewFolder(async (folder) => {
    const file = join(folder, 'catalogue.json');
    await writeFile(file, content);
    const { bugs, pathOf: _, ...rest } = await readCatalogueFile(file);
    const found: CatalogueBug[] = [];
    for await (const one of bugs) found.push(one);
    const data = found.flatMap(({ attachments = [] }) => attachments.map((one) => one.data.read()));
    return { rest, bugs: found, data: await Promise.all(data) };
  });

describe('a catalogue file', () => {
  const given = {
    tag_spellings: ['Spam'],
    bugs: [
      bugWith({ id: 1, summary: 'two\u2028lines' }),
      bugWith({ id: 2, attachments: [attached('/+8='), { ...attached(''), id: 2 }] }),
    ],
    groups: [{ name: 'g' }],
  };

  it.each([
    { form: 'lines', write: inLines },
    { form: 'lines of which the settings are the last', write: (all: Whole) => inLines(all, true) },
    { form: 'one line', write: (all: Whole) => JSON.stringify(all) },
    { form: 'indented JSON', write: (all: Whole) => JSON.stringify(all, undefined, 2) },
  ])('gives what it gives when it is parsed as a whole: $form', async ({ write }) => {
    const whole = parseCatalogue(given);
    const { rest, bugs, data } = await reading(write(given).replace('/+8=', '\\/+8='));
    expect({ ...rest, bugs: bugs.map(({ id }) => id) }).toEqual({ ...whole, bugs: [1, 2] });
    expect(data.map((one) => one.toString('hex'))).toEqual(['ffef', '']);
    expect(bugs[0]).toEqual(whole.bugs[0]);
  });

  it.each<[string, string, object[]]>([
    [
      '$.bugs[0].attachments[0].data: ',
      'line 3, $.attachment.data: ',
      [bugWith({ attachments: [attached('a-b=')] })],
    ],
    [
      '$.bugs[0].attachments[0].data: ',
      'line 3, $.attachment.data: ',
      [bugWith({ attachments: [attached(7)] })],
    ],
    ['$.bugs[1].cc: ', 'line 3, $.bug.cc: ', [bugWith({}), bugWith({ cc: 'x' })]],
    [
      '$.bugs[1].id: the id 1 appears twice',
      'line 3, $.bug.id: the id 1 appears twice',
      [bugWith({ id: 1 }), bugWith({ id: 1 })],
    ],
    [
      '$.bugs[1].attachments[0].id: the id 1 appears twice',
      'line 4, $.bug.attachments[0].id: the id 1 appears twice',
      [1, 2].map((id) => bugWith({ id, attachments: [attached('')] })),
    ],
  ])('is refused, as it is when it is parsed as a whole: %s', async (path, place, bugs) => {
    await expect(reading(JSON.stringify({ bugs }))).rejects.toThrow(path);
    expect(() => parseCatalogue({ bugs })).toThrow(path);
    await expect(reading(inLines({ bugs }))).rejects.toThrow(place);
  });

  const line = JSON.stringify;
  it.each([
    ['line 3, $: is a second line with settings', [{}, { bug: bugWith({}) }, { groups: [] }]],
    ['line 2, $: must follow the line of its bug', [{}, { attachment: attached('') }]],
    [
      'line 3, $.attachment.bug_id: must be the id',
      [{}, { bug: bugWith({ id: 1 }) }, { attachment: { ...attached(''), bug_id: 2 } }],
    ],
    ['line 2, $: Unrecognized key: "bugs"', [{}, { bug: bugWith({}), bugs: [] }]],
    ['line 2, $: must not have bugs', [{ bug: bugWith({}) }, { bugs: [bugWith({})] }]],
    ['line 2, $: Invalid input', [{}, [bugWith({})]]],
    ['$.groups[0]: ', [{ groups: [{ name: 'g', nosuch: 1 }] }, { bug: bugWith({}) }]],
  ])('is refused: %s', async (message, lines) => {
    await expect(reading(lines.map((one) => line(one)).join('\n'))).rejects.toThrow(message);
  });

  it('is refused with a line that is not JSON', async () => {
    await expect(reading(`{}\n${line({ bug: bugWith({}) })}\n{"bug":`)).rejects.toThrow(
      'line 3, is not JSON',
    );
  });

  it('is refused when it is one object of more than 50 MB', async () => {
    const bug = bugWith({ comments: [] });
    const large = `{"bugs": [\n${line(bug)}${' '.repeat(50_000_000)}]}`;
    await expect(reading(large)).rejects.toThrow('is larger than 50 MB');
  });
});
