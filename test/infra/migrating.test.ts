import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { importCommand } from '../../infra/admin/commands/import.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { settingsOf, sqliteSource } from '../import/source.ts';
import { runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { paramsOf } from '../support/recorded-databases.ts';
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
  ['--verify', /\nThe table is as .* has it: 220 bugs/],
  ['--final', /\nRequests may write here/],
  ['--abandon', /was abandoned\. Requests may write here/],
  ['create --all --stack', /^ben@bugless\.example,Ben Builder,\w+\n|^\w/m],
];

describe('the commands of infra/MIGRATING.md, one after the other:', () => {
  const environment: NodeJS.ProcessEnv = {};
  const source = sqliteSource();

  beforeAll(async () => {
    source.become('A');
    const [prod, dev] = [await newTable(), await newTable()];
    Object.assign(environment, {
      ...LOCAL_CREDENTIALS,
      ...settingsOf('A'),
      ...{ DYNAMODB_ENDPOINT: dynamoDbEndpoint() },
      AWS_ENDPOINT_URL_CLOUDFORMATION: await startSimulatedCloudFormation({
        'Bugless-prod': { TableName: prod.name },
        'Bugless-dev': { TableName: dev.name },
      }),
    });
  });

  it.each(commands.map((command, place) => [place + 1, command] as const))('%i. %s', async (_, command) => {
    const stack = /Bugless-\w+/.exec(command)?.[0];
    const args = command
      .slice(COMMAND.length)
      .replace(/ > \S+$/, '')
      .split(' ')
      // After the split: paths may have blanks.
      .flatMap((word) => {
        if (word === 'mysql://reader@db.example.org/bugs') return [source.address, '--timezone', 'UTC'];
        return word === 'params.json' ? [paramsOf('A')] : [word];
      })
      .concat(command.includes('import') ? ['--keep', join(source.folder, `${stack}.ndjson`)] : []);
    const { code, stdout, stderr } = await runAdmin(args, environment);
    // SQL has put bugs of A beside the controls of their product.
    const expected = command.includes('check') ? 1 : 0;
    expect([code, code === expected ? '' : stderr]).toEqual([expected, '']);
    for (const [part, printed] of PRINTED) if (command.includes(part)) expect(stdout).toMatch(printed);
  });

  it('are all that the plan needs', () => {
    for (const [part] of PRINTED)
      expect(commands.filter((command) => command.includes(part))).not.toEqual([]);
  });
});

it('infra/MIGRATING.md describes the options of import', () => {
  const described = [...text.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag);
  const command = importCommand(new Command(), () => expect.fail('It is not run'));
  for (const { long } of command.options) expect(described).toContain(long);
});
