import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCommand } from '../../infra/admin/commands/import.ts';
import { listen } from '../../infra/local/listen.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { runAdmin } from '../support/admin.ts';
import { afterFile } from '../support/after-file.ts';
import { newTable, serve, startService } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { keys } from '../support/keys.ts';
import { rolloverCatalogue } from '../support/rollover-catalogue.ts';
import { startSimulatedCloudFormation } from '../support/simulated-cloudformation.ts';

const text = readFileSync(join(import.meta.dirname, '../../infra/MIGRATING.md'), 'utf8');
const COMMAND = 'npm run -s admin -- ';
const commands = [...text.matchAll(/^ *```sh\n(.*?)```/gms)].flatMap(([, block = '']) =>
  block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(COMMAND)),
);

/** What the commands print beside their exit code 0, by a part of them. */
const PRINTED: [part: string, printed: RegExp][] = [
  ['--verify', /\nNo differences\n/],
  ['--final', /\nRequests may write here again/],
  ['--abandon', /was abandoned\. Requests may write here again/],
  ['check', /^(note .*\n)*No violations found/],
  ['--send', /^ann@example\.com\n/],
  ['create --all --stack', /^ann@example\.com,Person 0,\w+\n/m],
];

describe('the commands of infra/MIGRATING.md, one after the other:', () => {
  const environment: NodeJS.ProcessEnv = { BUGZILLA_API_KEY: keys.admin };
  const urls = { there: '', here: '' };
  let folder = '';
  const invited: unknown[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bugless-migrating-'));
    const [catalogue = ''] = [...text.matchAll(/^```json\n(.*?)```/gms)].map(([, block]) => block);
    await writeFile(join(folder, 'group-controls.json'), catalogue);
    const [table, dev] = [await newTable(), await newTable()];
    urls.there = (await startService(rolloverCatalogue(12))).url;
    urls.here = (await (await serve(table)).listen()).url;
    const bus = await listen(
      createServer(async (request, response) => {
        const { Entries } = (await json(request)) as { Entries: unknown[] };
        invited.push(...Entries);
        const answer = { FailedEntryCount: 0, Entries: Entries.map(() => ({ EventId: '1' })) };
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
      }),
    );
    afterFile(bus.stop);
    Object.assign(environment, {
      ...LOCAL_CREDENTIALS,
      ...{ DYNAMODB_ENDPOINT: dynamoDbEndpoint(), EVENTS_ENDPOINT: bus.url },
      AWS_ENDPOINT_URL_CLOUDFORMATION: await startSimulatedCloudFormation(
        {
          'Bugless-prod': { TableName: table.name, EventBusName: 'bus' },
          'Bugless-dev': { TableName: dev.name },
        },
        { 'Bugless-prod': { SIGN_IN_BY_MAIL: 'true' } },
      ),
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(commands.map((command, place) => [place + 1, command] as const))('%i. %s', async (_, command) => {
    const args = command
      .slice(COMMAND.length)
      .replace(/ > \S+$/, '')
      .replace('https://bugzilla.example.org', `${urls.there} --rate 500`)
      .replace('https://bugs.example.org', urls.here)
      .replace('you@example.org', 'admin@example.com')
      .split(' ');
    const usesFolder = /\.json/.test(command);
    const { code, stdout, stderr } = await runAdmin(args, environment, usesFolder ? { folder } : undefined);
    expect([code, stderr.replace(/^Asking .*\n/, '')]).toEqual([0, '']);
    for (const [part, printed] of PRINTED) if (command.includes(part)) expect(stdout).toMatch(printed);
    if (command.includes('key create you')) {
      const [key] = /\b[\w-]{40,}\b/.exec(stdout) ?? [];
      environment['BUGLESS_API_KEY'] = key;
    }
  });

  it('are all that the plan needs, and invite people', () => {
    for (const [part] of PRINTED)
      expect(commands.filter((command) => command.includes(part))).not.toEqual([]);
    expect(invited).toHaveLength(3);
  });
});

describe('infra/MIGRATING.md', () => {
  it('describes the options of import', () => {
    const described = [...text.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag);
    const command = importCommand(new Command(), () => expect.fail('It is not run'));
    for (const { long } of command.options) expect(described).toContain(long);
  });
});
