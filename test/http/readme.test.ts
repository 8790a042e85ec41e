import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { readSettings } from '../../lib/settings.ts';
import { rightsGroups } from '../../lib/users/rights.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';

const PROJECT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
const run = promisify(execFile);

/** The commands of the README with their documented output. */
interface Step {
  command: string;
  output: string;
}

const steps: Step[] = [...readme.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: output.join('\n').trim() };
    }),
);

const bugless = useStarted(async () =>
  startBugless(await readCatalogueFile(join(PROJECT, 'infra/local/demo-catalogue.json'))),
);

describe('the session of the README', () => {
  const remembered: string[] = [];
  afterAll(() => expect(steps.length).toBeGreaterThan(10));

  for (const { command, output } of steps) {
    it(`prints the documented output: ${command}`, async () => {
      if (/^[A-Z]+=/.test(command)) {
        remembered.push(command);
        return;
      }
      const script = [...remembered, command].join('\n').replaceAll('http://127.0.0.1:3000', bugless.url);
      const { stdout } = await run('bash', ['-euc', script], {
        cwd: PROJECT,
        env: {
          ...process.env,
          TABLE_NAME: bugless.table.name,
          DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
        },
      });
      expect(stdout.trim()).toBe(output);
    });
  }
});

it('the README counts and names the groups that give rights', () => {
  const [, number, names = ''] = /^(\w+) groups give rights: (.*?)\. /ms.exec(readme) ?? [];
  const named = [...names.matchAll(/`(\w+)`(?!\))/g)].map(([, name]) => name);
  expect(named).toEqual(rightsGroups(readSettings({ TABLE_NAME: 'any' })));
  expect(number).toBe({ 7: 'Seven', 8: 'Eight', 9: 'Nine' }[named.length]);
});

describe('the files that the README refers to', () => {
  it('exist', () => {
    const scripts: Record<string, string> = JSON.parse(
      readFileSync(join(PROJECT, 'package.json'), 'utf8'),
    ).scripts;
    const named = [...readme.matchAll(/npm (?:run )?(?:-s )?(start|test|[a-z]+)\b/g)].map(
      ([, name = '']) => name,
    );
    for (const name of named.filter((one) => !['ci', 'run'].includes(one)))
      expect(Object.keys(scripts)).toContain(name);
    const paths = readme.matchAll(/\]\(([^)#]+)\)|`((?:functions|lib|infra|test)\/[^` ]*)`/g);
    for (const [, linked, quoted = ''] of paths) {
      expect(existsSync(join(PROJECT, linked ?? quoted)), linked ?? quoted).toBe(true);
    }
  });
});
