import { beforeEach, describe, expect, it } from 'vitest';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { serve, useStarted } from '../support/bugless.ts';
import { type Call, cancelled, faults } from '../support/fault-proxy.ts';
import { onFirst, SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(async () => {
  const started = await startFaultyBugless(SILENT);
  const { healthy, proxy } = started;
  const settings = { DYNAMODB_ENDPOINT: proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '400', ...SILENT };
  return { ...started, hasty: await serve(healthy.table, settings) };
});
beforeEach(() => bugless.from(() => 'pass'));

const entries = () => auditRepository(bugless.healthy.table).list('', 1_000);
const COMPONENT = { product: 'Alpha', description: 'd', default_assignee: 'user@example.com' };
/** What changes products over REST, by an own name for each case. */
const doors: [string, (name: string) => [string, string, object]][] = [
  ['a new product', (name) => ['POST', '/rest/product', { name, description: 'd', version: '1' }]],
  ['a product', (name) => ['PUT', '/rest/product/Alpha', { description: name }]],
  ['a new component', (name) => ['POST', '/rest/component', { ...COMPONENT, name }]],
  ['a component', (name) => ['PUT', '/rest/component/Alpha/Core', { description: name }]],
  ['a new version', (name) => ['POST', '/rest/bugless/version', { product: 'Alpha', name }]],
  [
    'a new keyword',
    (name) => ['POST', '/rest/bugless/keyword', { name: name.replaceAll(' ', '_'), description: 'd' }],
  ],
  [
    'a new flag type',
    (name) => [
      'POST',
      '/rest/flag_type',
      { name: name.replaceAll(' ', '_'), description: 'd', inclusions: ['Alpha'] },
    ],
  ],
];
const send = ([method, path, body]: [string, string, object], to: 'faulty' | 'hasty' = 'faulty') =>
  bugless[to].call(method, path, { key: keys.admin, body });

describe.each(doors)('the entry of %s in the audit log', (door, requestOf) => {
  it('is not there when the change is not', async () => {
    bugless.from(({ operation }) => (operation === 'TransactWriteItems' ? faults.throttling : 'pass'));
    const before = (await entries()).length;
    expect((await send(requestOf(`${door} lost`), 'hasty')).status).toBe(503);
    expect((await entries()).length).toBe(before);
  });

  it('is there once when the response of DynamoDB is lost', async () => {
    bugless.from(onFirst('TransactWriteItems', 'close after'));
    const before = (await entries()).length;
    expect((await send(requestOf(`${door} once`))).status).toBeLessThan(300);
    expect((await entries()).length).toBe(before + 1);
  });

  it('is there once when another writer comes first', async () => {
    bugless.from(onFirst('TransactWriteItems', (call: Call) => cancelled('TransactionConflict', call)));
    const before = (await entries()).length;
    expect((await send(requestOf(`${door} conflict`))).status).toBeLessThan(300);
    expect((await entries()).length).toBe(before + 1);
  });
});
