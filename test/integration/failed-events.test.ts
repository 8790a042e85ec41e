import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeStreamCommand, DynamoDBStreamsClient, type Shard } from '@aws-sdk/client-dynamodb-streams';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../infra/local/events/stream.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { ruleDescription } from '../../lib/changes/events/webhooks.ts';
import type { Table } from '../../lib/table/client.ts';
import { runAdmin } from '../support/admin.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { startBuglessWithEvents } from '../support/events.ts';
import { keys } from '../support/keys.ts';
import { shortCatalogue } from '../support/short-catalogue.ts';
import { type SimulatedAccount, startSimulatedAws } from '../support/simulated-aws.ts';
import { startSimulatedCloudFormation } from '../support/simulated-cloudformation.ts';
import { inNewFolder } from '../support/start-process.ts';

const RULE = 'arn:aws:events:eu-central-1:123456789012:rule/bus/Jira';
const GONE = 'arn:aws:events:eu-central-1:123456789012:rule/bus/Gone';
const GONE_TABLE = 'bugless-deleted';
const QUEUES = ['FailedEvents', 'FailedWebhooks', 'FailedMail', 'FailedAccounts'] as const;
const ACCOUNT_MESSAGE = JSON.stringify({
  ...{ id: '1', 'detail-type': 'account', time: '2026-01-02T03:04:05Z' },
  detail: { kind: 'key', login: 'ann@example.org', description: 'CI' },
});

const emptyAccount = (): SimulatedAccount => ({
  queues: {
    FailedEvents: [],
    FailedWebhooks: [],
    FailedMail: [],
    FailedAccounts: [],
    Mail: [],
    Accounts: [],
  },
  ...{
    sources: { FailedMail: 'Mail', FailedAccounts: 'Accounts' },
    rules: { Jira: ruleDescription('jira') },
  },
  ...{ secrets: {}, ses: {}, sent: [] },
});

/** A stack whose events come to the test, and a comment on a bug of it, with its event. */
async function start() {
  const bugless = await startBuglessWithEvents(shortCatalogue(1));
  onTestFinished(bugless.stopEvents);
  const account = emptyAccount();
  const records: unknown[] = [];
  bugless.wrap((next) => async (given) => {
    records.push(...given);
    return next(given);
  });
  const aws = await startSimulatedAws(account);
  const outputs = Object.fromEntries(
    QUEUES.map((name) => [`${name}Queue`, `${aws['AWS_ENDPOINT_URL_SQS']}/1/${name}`]),
  );
  const environment = {
    ...LOCAL_CREDENTIALS,
    ...aws,
    AWS_ENDPOINT_URL_CLOUDFORMATION: await startSimulatedCloudFormation({
      'Bugless-prod': { TableName: bugless.table.name, EventBusName: 'bus', ...outputs },
    }),
    ...{ DYNAMODB_ENDPOINT: dynamoDbEndpoint(), EVENTS_ENDPOINT: bugless.bus },
  };
  const { body } = await bugless.call('POST', '/rest/bug/1/comment', {
    ...{ key: keys.admin, body: { comment: 'Seen?' } },
  });
  const [event = expect.fail('There is no event')] = await bugless.take(1);
  const run = (...args: string[]) => runAdmin([...args, '--stack', 'Bugless-prod'], environment);
  return { bugless, account, records, event, comment: body.id as number, run };
}

/** The shard of the stream of a table that has a record. */
async function shardOf(table: Table, sequenceNumber: string) {
  const streamArn = (await streamOf(table)) ?? '';
  const client = new DynamoDBStreamsClient({ endpoint: dynamoDbEndpoint() });
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const from = ({ SequenceNumberRange }: Shard) => BigInt(SequenceNumberRange?.StartingSequenceNumber ?? 0);
  const shards = (StreamDescription?.Shards ?? []).filter((one) => from(one) <= BigInt(sequenceNumber));
  const [last] = shards.toSorted((a, b) => (from(a) > from(b) ? -1 : 1));
  return { streamArn, shardId: last?.ShardId ?? '' };
}

const attributes = (rule: string) => ({
  RULE_ARN: rule,
  ...{ ERROR_CODE: 'SDK_CLIENT_ERROR', ERROR_MESSAGE: 'The receiver responded with 500' },
});

describe('what could not be delivered', () => {
  it('is listed in one form, and stays where it is', async () => {
    const { account, records, event, comment, run } = await start();
    const { revision } = event.detail as { revision: number };
    const change = { kind: 'commented', time: '2026-01-02T03:04:05Z', revision };
    const record = JSON.stringify({ key: { pk: 'a', sk: 'b' }, error: 'TypeError', record: records[0] });
    account.queues['FailedEvents']?.push({ body: record }, { body: 'no JSON' });
    account.queues['FailedWebhooks']?.push({ body: JSON.stringify(event), attributes: attributes(RULE) });
    account.queues['FailedMail']?.push({ body: JSON.stringify({ detail: { bug: 1, change } }) });
    const { code, stdout, stderr } = await run('events', 'failed', '--json');
    expect(stderr).toBe('');
    const id = expect.any(String);
    const common = { id, failed_at: '2026-01-02T03:04:05Z', bug: 1, revision };
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      [
        { queue: 'events', ...common, error: 'TypeError' },
        { id, queue: 'events', failed_at: common.failed_at, error: 'The message cannot be read' },
        {
          ...{ queue: 'webhooks', ...common, event: `1:comment:${comment}`, rule: 'Jira' },
          error: 'SDK_CLIENT_ERROR: The receiver responded with 500',
        },
        { queue: 'mail', ...common, error: 'It was received 700 times' },
      ],
    ]);
    expect(QUEUES.map((name) => account.queues[name]?.length)).toEqual([2, 1, 1, 0]);
    const { stdout: lines } = await run('events', 'failed');
    expect(lines).toContain(
      `webhooks  bug 1, revision ${revision}  1:comment:${comment}  Jira  SDK_CLIENT_ERROR`,
    );
  });

  it('is removed by its id, with a reason that the audit log keeps, and the rest stays', async () => {
    const { account, run } = await start();
    account.queues['FailedMail']?.push({ body: 'no JSON' });
    account.queues['FailedAccounts']?.push({ body: ACCOUNT_MESSAGE }, { body: 'other' });
    const { stdout } = await run('events', 'failed', '--json');
    const [mail, accounts] = JSON.parse(stdout) as { id: string }[];
    const why = ['--why', 'Ann has left'];
    expect((await run('events', 'discard', String(accounts?.id))).stderr).toContain("'--why <TEXT>'");
    expect((await run('events', 'discard', 'x', '--why', ' ')).code).toBe(2);
    // The audit log has room for the reason, however many they are.
    await run(
      'events',
      'discard',
      ...Array.from({ length: 60 }, (_, n) => `${n}-${'0'.repeat(32)}`),
      '--why',
      'Duplicates',
    );
    expect((await run('audit')).stdout).toContain('… --why Duplicates');
    const all = await run('events', 'discard', String(mail?.id), String(accounts?.id), 'gone', ...why);
    expect([all.code, all.stdout, all.stderr]).toEqual([
      1,
      'Removed 2\n',
      expect.stringContaining('no queue has gone'),
    ]);
    expect(QUEUES.map((name) => account.queues[name]?.length)).toEqual([0, 0, 0, 1]);
    const audit = await run('audit', '--json');
    expect(audit.stdout).toContain('Ann has left');
  });

  it('is sent again: changes to all and to mail, webhooks to the one that failed, mails to their queue', async () => {
    const { bugless, account, records, event, comment, run } = await start();
    const mail = JSON.stringify({
      detail: { bug: 1, change: { kind: 'commented', time: 'x', revision: 1 } },
    });
    const record = JSON.stringify({ key: {}, error: 'TypeError', record: records[0] });
    account.queues['FailedEvents']?.push({ body: record });
    account.queues['FailedWebhooks']?.push({ body: JSON.stringify(event), attributes: attributes(RULE) });
    account.queues['FailedMail']?.push({ body: mail });
    expect(await run('events', 'redrive')).toEqual({ code: 0, stdout: 'Sent 3 again\n', stderr: '' });
    const sent = await bugless.take(3);
    const id = `1:comment:${comment}`;
    expect(sent.map(({ source, detail }) => [source, (detail as { id?: string }).id])).toEqual([
      ['bugless', id],
      ['bugless.internal', undefined],
      ['bugless.webhook.jira', id],
    ]);
    expect(account.queues).toEqual({
      FailedEvents: [],
      FailedWebhooks: [],
      ...{ FailedMail: [], FailedAccounts: [], Accounts: [] },
      Mail: [{ body: mail }],
    });
  });

  it('is sent again to the queue it came from, about accounts, too', async () => {
    const { account, run } = await start();
    account.queues['FailedAccounts']?.push({ body: ACCOUNT_MESSAGE });
    // Until version 1.2.0 these were with those of changes.
    account.queues['FailedMail']?.push({ body: ACCOUNT_MESSAGE });
    const { stdout } = await run('events', 'failed');
    expect(stdout).toMatch(
      /mail {6}- {2}It was received 700 times\n.*accounts {2}- {2}It was received 700 times\n/,
    );
    expect(await run('events', 'redrive')).toEqual({ code: 0, stdout: 'Sent 2 again\n', stderr: '' });
    expect([account.queues['Accounts'], account.queues['FailedAccounts']]).toEqual([
      [{ body: ACCOUNT_MESSAGE }],
      [],
    ]);
  });

  it('is listed on one line each, whatever the reason', async () => {
    const { account, run } = await start();
    const error = 'first\r\nbug 1  forged\u001b[31m\u2028\tlast';
    account.queues['FailedEvents']?.push({ body: JSON.stringify({ key: {}, error, record: {} }) });
    const { stdout } = await run('events', 'failed');
    expect(stdout.trimEnd().split(/[\r\n\u2028]/)).toHaveLength(1);
    expect(stdout).toContain('first\\u000d\\nbug 1  forged\\u001b[31m\\u2028\\tlast');
    const { stderr } = await run('events', 'redrive');
    expect(stderr.split('\n').filter((line) => line.startsWith('bug 1'))).toEqual([]);
  });

  it('is read from the stream where Lambda gave up, as long as the stream has it', async () => {
    const { bugless, account, records, comment, run } = await start();
    const [record] = records as { dynamodb: { SequenceNumber: string } }[];
    const SequenceNumber = record?.dynamodb.SequenceNumber ?? '';
    const place = await shardOf(bugless.table, SequenceNumber);
    const message = (info: object) =>
      JSON.stringify({ requestContext: { condition: 'RecordAgeExceeded' }, DDBStreamBatchInfo: info });
    const info = { ...place, startSequenceNumber: SequenceNumber, endSequenceNumber: SequenceNumber };
    account.queues['FailedEvents']?.push({ body: message(info) });
    expect(await run('events', 'redrive')).toMatchObject({ code: 0, stdout: 'Sent 1 again\n' });
    const [sent] = await bugless.take(1);
    expect(sent?.detail).toMatchObject({ id: `1:comment:${comment}` });
    account.queues['FailedEvents']?.push({
      body: message({ ...info, streamArn: info.streamArn.replace(bugless.table.name, GONE_TABLE) }),
    });
    const gone = await run('events', 'redrive');
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('the stream keeps records for 24 hours');
    expect(account.queues['FailedEvents']).toHaveLength(1);
  });

  it('stays, and is named, where it cannot be sent; the others go on', async () => {
    const { bugless, account, event, run } = await start();
    const body = JSON.stringify(event);
    account.queues['FailedEvents']?.push({ body: '{}' });
    account.queues['FailedWebhooks']?.push(
      { body, attributes: attributes(GONE) },
      { body: body.replaceAll(':comment:', ':comment:9'), attributes: attributes(RULE) },
      { body, attributes: attributes(RULE) },
    );
    const { code, stdout, stderr } = await run('events', 'redrive', '--json');
    expect([code, JSON.parse(stdout).redriven]).toEqual([1, 1]);
    expect(stderr.match(/^left {2}/gm)).toHaveLength(3);
    expect(stderr).toContain('its webhook is not deployed any more');
    expect(stderr).toMatch(/bug 1 has no event 1:comment:9\d+ any more/);
    expect(stderr).toContain('3 could not be sent, and are still in their queues');
    expect(QUEUES.map((name) => account.queues[name]?.length)).toEqual([1, 2, 0, 0]);
    expect(await bugless.take(1)).toMatchObject([{ source: 'bugless.webhook.jira' }]);
    const audit = await run('audit', '--json');
    expect(JSON.parse(audit.stdout)[0]).toMatchObject({ counts: { redriven: 1, failed: 3 } });
  });

  it('is in no queue of a table without a stack', async () => {
    const { bugless } = await start();
    const environment = { TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
    const { code, stderr } = await runAdmin(['events', 'failed'], environment);
    expect([code, stderr]).toEqual([1, expect.stringContaining('use --stack NAME')]);
  });
});

const WEBHOOKS = ['there', 'deleted', 'absent'].map((name) => ({
  ...{ name, url: `https://${name}.example.org/hook`, secret: `team/${name}` },
}));
const READY = {
  'GET /v2/email/identities/example.org': { VerifiedForSendingStatus: true },
  'GET /v2/email/account': {
    ...{ SendingEnabled: true, ProductionAccessEnabled: true, SendQuota: { Max24HourSend: 50_000 } },
  },
  'GET /v2/email/configuration-sets/mails': { ConfigurationSetName: 'mails' },
};

describe('before a deployment', () => {
  const check = (account: SimulatedAccount, values: object, args = ['events', 'check', '--json']) =>
    inNewFolder(async (folder) => {
      const file = join(folder, 'prod.json');
      writeFileSync(file, JSON.stringify(values));
      const environment = { ...LOCAL_CREDENTIALS, ...(await startSimulatedAws(account)) };
      const ran = await runAdmin([...args, '--stage', file], environment);
      return { ...ran, result: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) };
    });

  it('names each secret, identity and configuration set that is not ready', async () => {
    const account = {
      ...emptyAccount(),
      secrets: { 'team/there': 'there', 'team/deleted': 'deleted' } as const,
    };
    const mail = { from: 'bugs@example.org', configurationSet: 'mails' };
    const { code, result, stderr } = await check(account, { webhooks: WEBHOOKS, mail, alarmEmail: 'a@b.c' });
    const absent = 'it does not exist in this region';
    expect([code, result]).toEqual([
      1,
      [
        { what: 'secret team/there' },
        { what: 'secret team/deleted', problem: 'it is going to be deleted' },
        { what: 'secret team/absent', problem: absent },
        { what: 'identity example.org', problem: absent },
        { what: 'Amazon SES', problem: absent },
        { what: 'configuration set mails', problem: absent },
      ],
    ]);
    expect(stderr).toContain('5 of 6 must be corrected before the deployment');
  });

  it.each([
    ['nothing where all is ready', {}, 1_000, undefined],
    ['a sandbox', { ProductionAccessEnabled: false }, 1_000, 'the account is in the sandbox'],
    ['a pause', { SendingEnabled: false }, 1_000, 'sending is paused'],
    ['a quota that is too small', {}, 3_000, 'its quota of 50000 mails a day is less than mailPerHour'],
  ])('reports %s', async (_, changed, mailPerHour, problem) => {
    const path = 'GET /v2/email/account';
    const account = { ...emptyAccount(), ses: { ...READY, [path]: { ...READY[path], ...changed } } };
    const { code, result } = await check(account, { mail: { from: 'bugs@example.org' }, mailPerHour });
    expect(code).toBe(problem === undefined ? 0 : 1);
    expect(result).toEqual([
      { what: 'identity example.org' },
      { what: 'Amazon SES', ...(problem === undefined ? {} : { problem: expect.stringContaining(problem) }) },
    ]);
  });

  it('a mail is sent from the address of the file to the one that is named', async () => {
    const account = { ...emptyAccount(), ses: { 'POST /v2/email/outbound-emails': { MessageId: 'm-1' } } };
    const mail = { from: 'bugs@example.org', replyTo: 'help@example.org' };
    const sent = await check(account, { mail }, ['mail', 'test', 'you@example.com', '--json']);
    expect([sent.code, sent.result]).toEqual([0, { from: mail.from, to: 'you@example.com', id: 'm-1' }]);
    expect(account.sent).toMatchObject([
      {
        ...{ FromEmailAddress: mail.from, ReplyToAddresses: [mail.replyTo] },
        Destination: { ToAddresses: ['you@example.com'] },
      },
    ]);
    const without = await check(account, {}, ['mail', 'test', 'you@example.com']);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('has no mail')]);
    const wrong = await check(account, { mail }, ['mail', 'test', 'you']);
    expect([wrong.code, account.sent.length]).toEqual([2, 1]);
  });
});
