import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { optionNames } from '../../infra/stack/configuration-schema.ts';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(PROJECT, 'infra/UPGRADING.md'), 'utf8');

const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block.trim().split(/\n */));
/** The commands for git of the block that has one. */
const gitCommands = (one: string) =>
  blocks
    .find((block) => block.some((command) => command.startsWith(one)))
    ?.filter((command) => command.startsWith('git ')) ?? [];
const rollback = gitCommands('git checkout 1a380da8');
const back = gitCommands('git restore');

const { stdout } = spawnSync('git', ['rev-parse', '--is-shallow-repository'], {
  cwd: PROJECT,
  encoding: 'utf8',
});

const OPTIONS: Record<string, unknown> = {
  REQUIRE_LOGIN: true,
  MAINTAINER: 'bugs@example.org',
  WEBHOOKS_GROUP: 'staff',
  DUPLICATE_OR_MOVE_BUG_STATUS: 'CLOSED',
  account: false,
  events: true,
  domain: 'bugs.example.org',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  alarmThresholds: { LoggedErrors: 5 },
  mail: { from: 'bugs@example.org' },
  mailPerHour: 500,
  signIn: { imported: false },
  webhooks: [{ name: 'jira', url: 'https://jira.example.org/hook', secret: 'bugless/jira' }],
};

/** Prints the names that a version does not know, of those in the first argument, then stops where the stage's file is invalid. */
const READ_OPTIONS = `
const { optionNames } = await import('./infra/stack/configuration-schema.ts');
const { readConfiguration } = await import('./infra/stack/configuration.ts');
const { readStageFile } = await import('./infra/stack/stage-file.ts');
const { writeFileSync } = await import('node:fs');
const { names, kept } = JSON.parse(process.argv[1]);
const unknown = names.filter((name) => !optionNames.includes(name));
const isKnown = ([name]) => !unknown.includes(name);
writeFileSync('infra/stages/prod.json', JSON.stringify(Object.fromEntries(Object.entries(kept).filter(isKnown))));
const { settings } = readConfiguration({}, readStageFile);
console.log(JSON.stringify({ unknown, requiresLogin: settings.REQUIRE_LOGIN }));
`;

/** The options that infra/UPGRADING.md says that versions do not know, from the newest version on. */
const rows = [...readme.matchAll(/^ *\| (\d+\.\d+\.\d+) +\| (.+) \|$/gm)].map(
  ([, version = '', text = '']) => ({
    version,
    names: [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  }),
);

describe.skipIf(stdout.trim() !== 'false')("a rollback by infra/UPGRADING.md in a team's clone", () => {
  it('to 1.2.0 carries the options over, and names those that it does not know', () =>
    inNewFolder(async (folder) => {
      const [{ names: documented = [] } = {}] = rows;
      expect(rows.map((row) => row.version)).toEqual(['1.2.0']);
      const clone = join(folder, 'team');
      const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
      const git = (...args: string[]) =>
        execFileSync('git', [...identity, ...args], { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
      execFileSync('git', ['clone', '--quiet', '--shared', PROJECT, clone]);
      symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
      const file = join(clone, 'infra/stages/prod.json');
      const text = JSON.stringify(OPTIONS);
      git('checkout', '--quiet', '-b', 'team');
      writeFileSync(file, text);
      git('commit', '--quiet', '--all', '--message', 'Options');

      execFileSync('bash', ['-euc', rollback.join('\n')], { cwd: clone, stdio: 'pipe' });
      expect(git('rev-parse', 'HEAD')).toMatch(/^1a380da8/);
      expect(readFileSync(file, 'utf8')).toBe(text);

      const argument = JSON.stringify({ names: optionNames, kept: OPTIONS });
      const script = ['--input-type=module', '--eval', READ_OPTIONS, argument];
      const read = JSON.parse(execFileSync(process.execPath, script, { cwd: clone, encoding: 'utf8' }));
      expect(read).toEqual({ unknown: expect.any(Array), requiresLogin: 'true' });
      expect(documented.toSorted()).toEqual(read.unknown.toSorted());

      execFileSync('bash', ['-euc', back.join('\n')], { cwd: clone, stdio: 'pipe' });
      expect(git('branch', '--show-current').trim()).toBe('team');
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
    }));
});
