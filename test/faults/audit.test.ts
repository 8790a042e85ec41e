import { beforeEach, expect, it } from 'vitest';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { serve, useStarted } from '../support/bugless.ts';
import { type Call, cancelled, faults } from '../support/fault-proxy.ts';
import { onFirst, SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { isLong } from '../support/sample.ts';

const bugless = useStarted(async () => {
  const started = await startFaultyBugless({ DATABASE_REQUEST_TIMEOUT_MS: '5000', ...SILENT });
  const settings = { DYNAMODB_ENDPOINT: started.proxy.endpoint, DATABASE_RETRY_TIMEOUT_MS: '400', ...SILENT };
  return { ...started, impatient: await serve(started.healthy.table, settings) };
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
const send = ([method, path, body]: [string, string, object], on = bugless.faulty) =>
  on.call(method, path, { key: keys.admin, body });

type RequestOf = (typeof doors)[number][1];

const outcomes: [string, (door: string, requestOf: RequestOf) => Promise<void>][] = [
  [
    'not there when the change is not',
    async (door, requestOf) => {
      bugless.from(({ operation }) => (operation === 'TransactWriteItems' ? faults.throttling : 'pass'));
      const before = (await entries()).length;
      expect((await send(requestOf(`${door} lost`), bugless.impatient)).status).toBe(503);
      expect((await entries()).length).toBe(before);
    },
  ],
  [
    'there once when the response of DynamoDB is lost',
    async (door, requestOf) => {
      bugless.from(onFirst('TransactWriteItems', 'close after'));
      const before = (await entries()).length;
      expect((await send(requestOf(`${door} once`))).status).toBeLessThan(300);
      expect((await entries()).length).toBe(before + 1);
    },
  ],
  [
    'there once when another writer comes first',
    async (door, requestOf) => {
      bugless.from(onFirst('TransactWriteItems', (call: Call) => cancelled('TransactionConflict', call)));
      const before = (await entries()).length;
      expect((await send(requestOf(`${door} conflict`))).status).toBeLessThan(300);
      expect((await entries()).length).toBe(before + 1);
    },
  ],
];

/** Each door with one outcome in turn; with all of them in a run with `RUNS`. */
const cases = doors.flatMap(([door, requestOf], place) =>
  outcomes
    .filter((_, at) => isLong || at === place % outcomes.length)
    .map(([outcome, check]) => ({ door, requestOf, outcome, check })),
);

it.for(cases)('the entry of $door in the audit log is $outcome', ({ door, requestOf, check }) =>
  check(door, requestOf),
);
