import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { anyItem, readItems } from '../../lib/table/read.ts';
import { putItem } from '../../lib/table/write.ts';
import { newTable, startBugless } from '../support/bugless.ts';
import { catalogueOfLines, exported, exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { required, shortCatalogue } from '../support/short-catalogue.ts';
import { aBug, aProduct } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';

const CONTROL = '\u0001';

it('the largest values that the interface accepts are exported, and applied to another table', async () => {
  const bugless = await startBugless(shortCatalogue());
  const write = async (method: string, path: string, body: object) => {
    const { status, body: response } = await bugless.call(method, path, { key: keys.admin, body });
    expect({ status: status < 300, response }).toMatchObject({ status: true });
    return response;
  };
  await write('POST', '/rest/product', {
    name: 'Large',
    description: `d${CONTROL.repeat(299_998)}d`,
    version: '1',
  });
  const { id } = await write('POST', '/rest/bug', {
    product: 'Alpha',
    component: 'Core',
    version: '1.0',
    summary: 's',
    description: CONTROL.repeat(65_535),
    estimated_time: 99_999.99,
  });
  for (const half of [0, 1]) {
    const add = Array.from({ length: 80 }, (_, n) => `alias-${half}-${n}`);
    await write('PUT', `/rest/bug/${id}`, { alias: { add } });
  }
  // Each change is an item of its own; together they exceed the size of one.
  for (const character of 'abcd') {
    await write('PUT', `/rest/bug/${id}`, { url: character.repeat(65_535), work_time: 0.01 });
  }
  await write('PUT', `/rest/bug/${id}`, { whiteboard: CONTROL.repeat(65_535) });
  await write('POST', `/rest/bug/${id}/comment`, { comment: '🪐'.repeat(65_535) });

  const file = await exported(bugless.table);
  const table = await newTable(parseCatalogue(catalogueOfLines(file)));
  expect(await exported(table)).toBe(file);
  await expectNoViolations(table);
});

it('texts that an earlier version stored are repaired by an export, which can be applied', async () => {
  const bugs = [1, 2, 3].map((id) => aBug(id));
  const table = await newTable(parseNumbered({ products: [aProduct()], bugs }));
  const texts = [
    { summary: ' two\r\nlines ', whiteboard: 'é'.repeat(40_000) },
    { summary: '\n' },
    { summary: '🪐'.repeat(300), whiteboard: ' kept\n' },
  ];
  for (const [index, text] of texts.entries()) {
    const key = bugKey(index + 1);
    const [item] = await readItems(table, [key], anyItem);
    await putItem(table, { ...required(item), ...text });
  }
  const catalogue = await exportedCatalogue(table);
  const { bugs: all } = parseCatalogue(catalogue);
  expect(all.sort((a, b) => (a.id ?? 0) - (b.id ?? 0))).toMatchObject([
    { summary: 'two lines', whiteboard: 'é'.repeat(32_767) },
    { summary: '(no summary)', whiteboard: '' },
    { summary: '🪐'.repeat(255), whiteboard: ' kept\n' },
  ]);
  const { bugs: applied } = await applyCatalogue(table, parseCatalogue(catalogue));
  expect(applied).toEqual({ added: 0, changed: 3, unchanged: 0 });
  expect(await exportedCatalogue(table)).toEqual(catalogue);
  await expectNoViolations(table);
});

describe('a bug with more aliases than one transaction can write', () => {
  const catalogue = (aliases: string[]) =>
    parseNumbered({
      products: [aProduct()],
      bugs: [aBug(1, { aliases, cc: times(60, (n) => `${n}@example.com`) })],
    });
  const named = (name: string) => Array.from({ length: 110 }, (_, n) => `${name}-${n}`);

  it('gets them, and others instead', async () => {
    const table = await newTable();
    for (const aliases of [named('first'), named('second'), []]) {
      await applyCatalogue(table, catalogue(aliases));
      const { bugs } = parseCatalogue(await exportedCatalogue(table));
      expect(bugs[0]?.aliases).toEqual(aliases);
      await expectNoViolations(table);
    }
  });
});

describe('a catalogue with values beyond the limits', () => {
  const comment = { text: 't', creator: 'a@example.com', creation_time: '2024-01-01' };
  const bug = { product: 'P', component: 'C', summary: 's', reporter: 'a@example.com', comments: [comment] };
  const inComment = (fields: object) => ({ bugs: [{ ...bug, comments: [{ ...comment, ...fields }] }] });
  const inBug = (fields: object) => ({ bugs: [{ ...bug, ...fields }] });
  const inProduct = (fields: object) => ({ products: [{ name: 'P', ...fields }] });
  const tags = Array.from({ length: 1_001 }, (_, n) => `tag-${n}`);
  const change = { field_name: 'url', removed: 'x'.repeat(250_000), added: 'y'.repeat(250_000) };
  const controls = Array.from({ length: 300 }, (_, n) => ({ group: `${n}-${'🪐'.repeat(240)}` }));

  it.each<[string, object]>([
    ['$.bugs[0].comments[0].tags: ', inComment({ tags })],
    ['$.bugs[0].comments[0].work_time: ', inComment({ work_time: -100_000 })],
    ['$.bugs[0].estimated_time: ', inBug({ estimated_time: 1e300 })],
    ['$.bugs[0].remaining_time: ', inBug({ remaining_time: -1 })],
    ['$.users[0].login: ', { users: [{ login: '🪐'.repeat(251) }] }],
    ['$.groups[0].name: ', { groups: [{ name: '🪐'.repeat(251) }] }],
    ['$.groups[0]: ', { groups: [{ name: 'g', description: 'x'.repeat(410_000) }] }],
    ['$.bugs[0]: ', inBug({ cf_notes: 'é'.repeat(210_000) })],
    ['$.bugs[0].url: must have at most 65535 bytes', inBug({ url: 'é'.repeat(32_768) })],
    ['$.bugs[0].whiteboard: must have at most 65535 bytes', inBug({ whiteboard: 'x'.repeat(65_536) })],
    ['$.bugs[0].summary: must not be blank', inBug({ summary: ' \t' })],
    ['$.bugs[0].summary: must be one line', inBug({ summary: 'a\nb' })],
    ['$.bugs[0].summary: must be one line', inBug({ summary: ' a' })],
    ['$.bugs[0].summary: must have at most 255 characters', inBug({ summary: '🪐'.repeat(256) })],
    [
      '$.bugs[0].history[0]: ',
      inBug({ history: [{ when: '2024-01-01', who: 'a@example.com', changes: [change] }] }),
    ],
    ['$.products[0]: ', inProduct({ description: 'x'.repeat(380_000) })],
    ['$.products[0]: ', inProduct({ description: 'x'.repeat(300_000), group_controls: controls })],
    // It is stored as JSON.
    [
      '$.products[0].components[0]: ',
      inProduct({ components: [{ name: 'C', description: CONTROL.repeat(100_000) }] }),
    ],
  ])('is refused by the JSON path of the place: %s', (path, catalogue) => {
    expect(() => parseNumbered(catalogue)).toThrow(path);
  });

  it('rounds hours to what the database can store', async () => {
    const table = await newTable();
    const product = { name: 'P', components: [{ name: 'C' }] };
    await applyCatalogue(
      table,
      parseNumbered({ products: [product], bugs: [{ ...bug, id: 1, estimated_time: 5e-324 }] }),
    );
    expect(parseCatalogue(await exportedCatalogue(table)).bugs[0]?.estimated_time).toBe(0);
  });

  it('stores a product of the largest size with its parts', async () => {
    const table = await newTable();
    const components = Array.from({ length: 1_000 }, (_, n) => ({
      name: `C${n}`,
      description: 'x'.repeat(90),
    }));
    const product = { name: 'P', description: 'x'.repeat(343_000), components };
    await applyCatalogue(table, parseCatalogue({ products: [product] }));
    await expectNoViolations(table);
  });
});
