import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { rightsGroups } from '../../lib/people/caller.ts';
import { readSettings } from '../../lib/settings.ts';
import { afterFile } from '../support/after-file.ts';
import { useStarted } from '../support/bugless.ts';
import { start } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
const run = promisify(execFile);
/** What a reader's shell has, and what makes commands start faster. */
const SHELL = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];

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

/** The commands run in a folder with the files of the project, but with data of its own. */
const session = useStarted(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bugless-'));
  for (const name of readdirSync(PROJECT)) {
    if (name !== '.local') symlinkSync(join(PROJECT, name), join(folder, name));
  }
  const service = start(['--memory', '--port', '0'], {}, folder);
  afterFile(async () => {
    service.child.kill();
    await service.ended();
    rmSync(folder, { recursive: true });
  });
  return { folder, url: await service.ready() };
});

describe('the session of the README', () => {
  const remembered: string[] = [];
  afterAll(() => expect(steps.length).toBeGreaterThan(10));

  for (const { command, output } of steps) {
    it(`prints the documented output: ${command}`, async () => {
      if (/^[A-Z]+=/.test(command)) {
        remembered.push(command);
        return;
      }
      const script = [...remembered, command].join('\n').replaceAll('http://127.0.0.1:3000', session.url);
      const { stdout } = await run('bash', ['-euc', script], {
        cwd: session.folder,
        env: Object.fromEntries(SHELL.map((name) => [name, process.env[name]])),
      });
      expect(stdout.trim()).toBe(output);
    });
  }
});

it('the README counts and names the groups that give rights, which the demo has', () => {
  const [, number, names = ''] = /^(\w+) groups give rights: (.*?)\. /ms.exec(readme) ?? [];
  const named = [...names.matchAll(/`(\w+)`(?!\))/g)].map(([, name]) => name);
  expect(named).toEqual(rightsGroups(readSettings({ TABLE_NAME: 'any' })));
  const { groups } = JSON.parse(readFileSync(join(PROJECT, 'infra/local/demo-catalogue.json'), 'utf8'));
  expect(groups.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(named));
  expect(number).toBe({ 8: 'Eight', 9: 'Nine', 10: 'Ten' }[named.length]);
});

it('the files that the README refers to exist', () => {
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
