import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../infra/local/events/stream.ts';
import type { Table } from '../../lib/table/client.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { restore } from '../support/restore-table.ts';
import { type Resource, synthesized } from '../support/synthesize.ts';
import { allItems } from '../support/table-items.ts';

const runbook = readFileSync(join(import.meta.dirname, '../../infra/OPERATING.md'), 'utf8');
const restoring = runbook.slice(runbook.indexOf('\n## Restore\n'), runbook.indexOf('\n## Cost\n'));

const pascal = (name: string) => name.replace(/(?:^|-)([a-z])/g, (_, first) => first.toUpperCase());
const scalar = (text: string) => (/^(true|\d+)$/.test(text) ? JSON.parse(text) : text);
const structure = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)=([^,]+)/g)].map(([, name, of = '']) => [name, scalar(of)]));

/** The commands of the section, as the SDK has them: `update-table --table-name a` is UpdateTable with TableName `a`. */
const commands = [...restoring.matchAll(/^aws dynamodb ([a-z-]+) (--.*)$/gm)].map(
  ([, name = '', flags = '']) => {
    const given = [...flags.matchAll(/--([a-z-]+)(?: (?!--)(\S+))?/g)].map(
      ([, flag = '', value = 'true']) => [
        pascal(flag),
        value.includes('=') ? structure(value) : scalar(value),
      ],
    );
    return { operation: pascal(name), input: Object.fromEntries(given) };
  },
);

/** What the test databases do not have: these are tried on AWS only. */
const NOT_LOCAL = ['RestoreTableToPointInTime', 'UpdateContinuousBackups'];

async function run({ client, name }: Table, { operation, input }: (typeof commands)[number]) {
  const Command = Reflect.get(dynamodb, `${operation}Command`);
  await client.send(new Command({ ...input, TableName: name }));
}

it('a table is restored by the commands of infra/OPERATING.md, and served by a stack that does not manage it', async () => {
  const table = await newTable(referenceCatalogue());
  const closed = await serve(table, { READ_ONLY: 'true' });
  const comment = { body: { comment: 'Meanwhile' }, key: keys.admin };
  expect((await closed.call('POST', '/rest/bug/1/comment', comment)).status).toBe(503);

  // Point-in-time recovery copies the items alone.
  const restored = await newTable();
  const unprotect = { operation: 'UpdateTable', input: { DeletionProtectionEnabled: false } };
  onTestFinished(() => run(restored, unprotect));
  await restore(restored, await allItems(table));
  const local = commands.filter(({ operation }) => !NOT_LOCAL.includes(operation));
  expect(local.map(({ operation }) => operation)).toEqual(['UpdateTimeToLive', 'UpdateTable', 'UpdateTable']);
  for (const command of local) await run(restored, command);

  const [[, { Properties: own }]] = synthesized({}, { events: true }).ofType('AWS::DynamoDB::Table') as [
    [string, Resource],
  ];
  const set = Object.assign({}, ...local.map(({ input }) => input));
  expect(set).toMatchObject({
    TimeToLiveSpecification: own.TimeToLiveSpecification,
    DeletionProtectionEnabled: own.DeletionProtectionEnabled,
    OnDemandThroughput: own.OnDemandThroughput,
    StreamSpecification: own.StreamSpecification,
  });
  const tableStream = await streamOf(restored);
  const stack = synthesized({}, { events: true, table: restored.name, tableStream });
  expect(stack.ofType('AWS::DynamoDB::Table')).toEqual([]);

  const opened = await serve(restored);
  expect((await opened.call('POST', '/rest/bug/1/comment', comment)).status).toBe(201);
  await expectNoViolations(restored);
});
