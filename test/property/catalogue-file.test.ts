import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BugScanner } from '../../lib/catalogue/bug-scanner.ts';
import { parseCatalogue, readCatalogueFile } from '../../lib/catalogue/read.ts';
import type { CatalogueBug } from '../../lib/catalogue/schema.ts';
import { aBug } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';

/** A file with its bugs, and with attachments whose data is replaced. */
function scanned(file: Buffer, chunkBytes: number) {
  const scanner = new BugScanner();
  const bugs: { bug: unknown; data: Map<number, unknown> }[] = [];
  for (let start = 0; start < file.length; start += chunkBytes) {
    for (const { json, data } of scanner.scan(file.subarray(start, start + chunkBytes))) {
      const read = [...data].map(([at, range]): [number, unknown] => [
        at,
        JSON.parse(file.subarray(range.start, range.end).toString()),
      ]);
      bugs.push({ bug: JSON.parse(json.toString()), data: new Map(read) });
    }
  }
  return { bugs, rest: JSON.parse(scanner.rest.toString()) };
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\\', '"', '\\"', '[{', '"]}', 'data', ''),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text),
  fc.dictionary(text, text),
);
const attachment = fc.record({ id: fc.nat(), data: text, note: value, inner: fc.record({ data: text }) });
const bug = fc.record(
  { attachments: fc.array(attachment), data: text, comments: fc.array(value), other: value },
  { requiredKeys: [] },
);

describe('the bugs of a catalogue', () => {
  it('are those that JSON.parse finds, however the file is written and read', () => {
    const file = fc.record({ before: value, bugs: fc.array(fc.oneof(bug, value)), after: value });
    fc.assert(
      fc.property(
        file,
        fc.nat(4),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (all, indent, chunk, isEscaped) => {
          const json = JSON.stringify(all, undefined, indent);
          const written = isEscaped ? json.replaceAll('/', '\\/') : json;
          const { bugs, rest } = scanned(Buffer.from(written), chunk);
          const restored = bugs.map(({ bug, data }) => {
            const copy = structuredClone(bug) as { attachments: { data: unknown }[] };
            for (const [at, one] of data) {
              expect(copy.attachments[at]?.data).toBe('');
              Object.assign(copy.attachments[at] ?? {}, { data: one });
            }
            return copy;
          });
          expect({ ...rest, bugs: restored }).toEqual(JSON.parse(json));
          expect(rest.bugs).toEqual(all.bugs.map(() => 0));
          for (const { bug, data } of bugs) {
            const given = (bug as { attachments?: unknown } | null)?.attachments;
            if (Array.isArray(given) && given.every((one) => one?.note !== undefined)) {
              expect(data.size).toBe(given.length);
            }
          }
        },
      ),
    );
  });

  it.each([
    '{"bugs": [{"a": 1} {"a": 2}]}',
    '{"bugs": [{"a": 1},]}',
    '{"bugs": [{"a": 1}',
    '{"bugs": [{"a": 1}]',
    '{"bugs": [{"a": [1}]}',
    '{"bugs": [{"a": "1]}',
    '[{"bugs": [1]}',
    '{"bugs": [,]}',
    '{"bugs": [1]]}',
    '',
  ])('are not read from what is not JSON: %s', (file) => {
    expect(() => JSON.parse(file)).toThrow();
    expect(() => scanned(Buffer.from(file), 3)).toThrow();
  });
});

const AUTHOR = 'a@example.org';
const bugWith = (fields: { id?: number; [field: string]: unknown }) => aBug(fields.id, fields);
const attached = (data: unknown) => ({
  id: 1,
  file_name: 'f',
  summary: 's',
  content_type: 'text/plain',
  creator: AUTHOR,
  creation_time: '2024-01-01',
  last_change_time: '2024-01-01',
  data,
});

const reading = (content: string) =>
  inNewFolder(async (folder) => {
    const file = join(folder, 'catalogue.json');
    await writeFile(file, content);
    const { bugs, ...rest } = await readCatalogueFile(file);
    const found: CatalogueBug[] = [];
    for await (const one of bugs) found.push(one);
    const data = found.flatMap(({ attachments = [] }) => attachments.map((one) => one.data.read()));
    return { rest, bugs: found, data: await Promise.all(data) };
  });

describe('a catalogue file', () => {
  it('gives what it gives when it is parsed as a whole', async () => {
    const given = {
      tag_spellings: ['Spam'],
      bugs: [
        bugWith({ id: 1 }),
        bugWith({ id: 2, attachments: [attached('/+8='), { ...attached(''), id: 2 }] }),
      ],
      groups: [{ name: 'g' }],
    };
    const whole = parseCatalogue(given);
    const { rest, bugs, data } = await reading(JSON.stringify(given).replace('/+8=', '\\/+8='));
    expect({ ...rest, bugs: bugs.map(({ id }) => id) }).toEqual({ ...whole, bugs: [1, 2] });
    expect(data.map((one) => one.toString('hex'))).toEqual(['ffef', '']);
    expect(bugs[0]).toEqual(whole.bugs[0]);
  });

  it.each<[string, object[]]>([
    ['$.bugs[0].attachments[0].data: ', [bugWith({ attachments: [attached('a-b=')] })]],
    ['$.bugs[0].attachments[0].data: ', [bugWith({ attachments: [attached(7)] })]],
    ['$.bugs[1].cc: ', [bugWith({}), bugWith({ cc: 'x' })]],
    ['$.bugs[1].id: the id 1 appears twice', [bugWith({ id: 1 }), bugWith({ id: 1 })]],
    [
      '$.bugs[1].attachments[0].id: the id 1 appears twice',
      [1, 2].map((id) => bugWith({ id, attachments: [attached('')] })),
    ],
  ])('is refused, as it is when it is parsed as a whole: %s', async (path, bugs) => {
    await expect(reading(JSON.stringify({ bugs }))).rejects.toThrow(path);
    expect(() => parseCatalogue({ bugs })).toThrow(path);
  });

  it('is refused when it has two lists of bugs', async () => {
    const list = JSON.stringify([bugWith({ id: 1 })]);
    await expect(reading(`{"bugs": ${list}, "bugs": ${list.replace('1', '2')}}`)).rejects.toThrow('twice');
  });
});
