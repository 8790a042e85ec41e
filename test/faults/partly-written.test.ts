import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { useStarted } from '../support/bugless.ts';
import { faults } from '../support/fault-proxy.ts';
import { SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { times } from '../support/times.ts';

const bugless = useStarted(() => startFaultyBugless({ DATABASE_RETRY_TIMEOUT_MS: '400', ...SILENT }));

const products = times(70, (n) => ({
  name: `Many ${n}`,
  components: [{ name: 'C' }],
  flag_types: [{ id: 77, name: 'many', target: 'bug' }],
}));
const call = (by: 'faulty' | 'healthy', method: string, path: string, body?: object) =>
  bugless[by].call(method, path, { key: keys.admin, body });
interface Shown {
  name: string;
  components: { flag_types: { bug: { name: string }[] } }[];
}
const namesOf = async () => {
  const { body } = await call('healthy', 'GET', '/rest/product?type=accessible');
  const all: Shown[] = body.products;
  const many = all.filter(({ name }) => name.startsWith('Many'));
  return new Set(many.map(({ components }) => components[0]?.flag_types.bug[0]?.name));
};

it('a change of more products than one transaction writes says that it is written in part, and is completed', async () => {
  await applyCatalogue(bugless.healthy.table, parseCatalogue({ products }));
  let transactions = 0;
  bugless.from(({ operation }) => {
    if (operation !== 'TransactWriteItems') return 'pass';
    transactions += 1;
    return transactions === 1 ? 'pass' : faults.throttling;
  });
  const rename = (by: 'faulty' | 'healthy') => call(by, 'PUT', '/rest/flag_type/77', { name: 'renamed' });
  const partly = await rename('faulty');
  expect([partly.status, partly.body.code, partly.body.message]).toEqual([
    500,
    32_000,
    expect.stringContaining('Repeat the request'),
  ]);
  expect(await namesOf()).toEqual(new Set(['many', 'renamed']));
  expect((await rename('healthy')).status).toBe(200);
  expect(await namesOf()).toEqual(new Set(['renamed']));
  await expectNoViolations(bugless.healthy.table);
});
