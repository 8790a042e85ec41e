import { describe, expect, it } from 'vitest';
import { FORMAT_CHECK_MS, tableFormat } from '../../lib/table/format.ts';
import { formatKey } from '../../lib/table/keys.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aProduct, REPORTER } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';

const catalogue = parseNumbered({
  users: [{ login: REPORTER }, { login: 'admin@example.com', api_keys: [{ key: keys.admin }] }],
  products: [aProduct()],
  bugs: [aBug(1)],
});

const format = (readable_from: string, writable_from: string) => ({
  format: 2,
  readable_from,
  writable_from,
  pending: [] as string[],
});

/** A table with a format of a later version. */
async function newTableOf(item: ReturnType<typeof format>) {
  const table = await newTable(catalogue);
  // A process that knows the table writes it without another look.
  await batchWrite(table, [{ ...formatKey, ...item }]);
  return table;
}

describe('a table that only a later version may read', () => {
  const table = useStarted(() => newTableOf(format('1.4.0', '1.4.0')));

  it.each([
    ['GET', '/rest/product/1'],
    ['GET', '/rest/bug?summary=x'],
    ['GET', '/rest/user?match=admin'],
    ['POST', '/rest/bug/1/comment'],
    ['PUT', '/rest/bug/1'],
    ['GET', '/rest/login?login=admin@example.com&password=x'],
  ])('is not used by %s %s', async (method, path) => {
    const before = await allItems(table);
    const { call } = await serve(table);
    const body = method === 'GET' ? undefined : { comment: 'x' };
    const reply = await call(method, path, { key: keys.admin, body });
    expect([reply.status, reply.body.message]).toEqual([
      503,
      expect.stringContaining('deploy Bugless 1.4.0 or later'),
    ]);
    expect(await allItems(table)).toEqual(before);
  });

  it.each([['check', '--repair'], ['export', '/dev/null'], ['upgrade'], ['user', 'list']])(
    'is not used by npm run admin -- %s',
    async (...args) => {
      const before = await allItems(table);
      const { code, stderr } = await adminOf(table)(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('deploy Bugless 1.4.0 or later')]);
      expect(await allItems(table)).toEqual(before);
    },
  );
});

it('a table that only a later version may write is read, and not written', async () => {
  const table = await newTableOf(format('1.0.0', '1.5.0'));
  const before = await allItems(table);
  const { call } = await serve(table);
  const key = keys.admin;
  expect((await call('GET', '/rest/bug/1', { key })).status).toBe(200);
  expect((await call('GET', '/rest/bug?summary=bug', { key })).status).toBe(200);
  const reply = await call('POST', '/rest/bug/1/comment', { key, body: { comment: 'x' } });
  expect([reply.status, reply.body.message]).toEqual([503, expect.stringContaining('1.5.0 or later')]);
  expect((await adminOf(table)('upgrade')).code).toBe(2);
  expect(await allItems(table)).toEqual(before);
});

it.each(['next', { format: 'next' }, {}])(
  'a table whose format is damaged is refused in words: %j',
  async (damaged) => {
    const table = await newTable(catalogue);
    const content = typeof damaged === 'string' ? { format: damaged, readable_from: '1.0.0' } : damaged;
    await batchWrite(table, [{ ...formatKey, ...content }]);
    const { call } = await serve(table);
    const { status, body } = await call('GET', '/rest/bug/1');
    expect([status, body.message]).toEqual([
      503,
      expect.stringContaining('item FORMAT of the table is damaged'),
    ]);
    const { code, stderr } = await adminOf(table)('upgrade');
    expect([code, stderr]).toEqual([1, expect.stringContaining('item FORMAT of the table is damaged')]);
  },
);

it.each([
  { format: 0, pending: [] },
  { format: 1, pending: ['words'] },
])('a table that 1.2.0 has not converted to format 1 is refused where that matters: %j', async (stored) => {
  const table = await newTableOf({ ...format('1.0.0', '1.0.0'), ...stored });
  const { call } = await serve(table);
  for (const path of ['/rest/user?match=admin', '/rest/bug?longdesc=bug&longdesc_type=allwords']) {
    const { status, body } = await call('GET', path, { key: keys.admin });
    expect([status, body.message]).toEqual([503, expect.stringContaining('deploy Bugless 1.2.0')]);
  }
  const { code, stderr } = await adminOf(table)('upgrade');
  expect([code, stderr]).toEqual([1, expect.stringContaining('deploy Bugless 1.2.0')]);
});

it('a table of this format needs no upgrade', async () => {
  expect(await adminOf(await newTable(catalogue))('upgrade')).toMatchObject({
    code: 0,
    stdout: 'The table has format 1 already\n',
  });
});

it('a table of a later format that this version may write is not converted back', async () => {
  const table = await newTableOf(format('1.0.0', '1.0.0'));
  const before = await allItems(table);
  const { code, stderr } = await adminOf(table)('upgrade');
  expect([code, stderr]).toEqual([2, expect.stringContaining('format 2')]);
  expect(await allItems(table)).toEqual(before);
});

describe('the format of the table', () => {
  it.each([
    ['1.0.0', '1.0.0', true],
    ['1.2.0', '1.10.0', false],
    ['1.10.0', '1.2.0', true],
    ['2.0.0', '1.9.9', true],
    ['1.9.9', '2.0.0', false],
    ['1.0.1', '1.0.2', false],
  ])('of version %s and a table for %s: used: %s', async (version, oldest, isUsed) => {
    const read = async () => format(oldest, oldest);
    const use = tableFormat(read, Date.now, version).require('read');
    await (isUsed ? use : expect(use).rejects.toThrow(oldest));
  });

  it('is read with the first call, and every minute', async () => {
    let now = 0;
    let reads = 0;
    let stored = format('1.0.0', '1.0.0');
    const read = async () => {
      reads += 1;
      return stored;
    };
    const known = tableFormat(read, () => now, '1.0.0');
    await Promise.all([known.require('read'), known.require('write'), known.require('read')]);
    expect(reads).toBe(1);
    stored = format('2.0.0', '2.0.0');
    now = FORMAT_CHECK_MS - 1;
    await known.require('write');
    now += 1;
    await expect(known.require('write')).rejects.toThrow('2.0.0');
    expect(reads).toBe(2);
  });

  it('is read again after a failure', async () => {
    const outcomes = [Promise.reject(new Error('outage')), Promise.resolve(format('1.0.0', '1.0.0'))];
    const known = tableFormat(
      () => outcomes.shift() ?? Promise.reject(new Error('third')),
      Date.now,
      '1.0.0',
    );
    await expect(known.require('read')).rejects.toThrow('outage');
    await known.require('read');
  });
});
