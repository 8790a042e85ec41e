import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { isTested } from '../support/programs.ts';
import { useService } from '../support/use-service.ts';
import { keys } from './demo.ts';

const PYTHON = '/usr/bin/python3';
const hasPackages =
  spawnSync(PYTHON, ['-c', 'import bugzilla']).status === 0 &&
  spawnSync('bugzilla', ['--version']).status === 0;
const isClientTested = isTested(hasPackages, 'of python-bugzilla', 'python3-bugzilla', 'bugzilla-cli');

describe.skipIf(!isClientTested)('python-bugzilla', () => {
  const demo = useService([]);
  const home = mkdtempSync(join(tmpdir(), 'bugless-home-'));
  beforeAll(() => {
    const folder = join(home, '.config/python-bugzilla');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bugzillarc'), `[http://127.0.0.1]\napi_key=${keys.admin}\n`);
  });
  afterFile(() => rmSync(home, { recursive: true }));
  const run = (options: { input?: string; cwd?: string }, ...args: string[]) =>
    execFileSync('bugzilla', [`--bugzilla=${demo.url()}/rest/`, ...args], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home },
      ...options,
    }).trim();
  const bugzilla = (...args: string[]) => run({}, ...args);

  it('as a command lists products, components and versions', () => {
    expect(bugzilla('info', '--products').split('\n')).toContain('Telescope');
    expect(bugzilla('info', '--components=Telescope').split('\n')).toContain('Lens');
    expect(bugzilla('info', '--versions=Telescope').split('\n')).toContain('2.0');
  });

  it('as a command prints bugs in the requested format', () => {
    const shown = bugzilla('query', '--bug_id=1,2', '--outputformat=%{id} %{component} %{summary}');
    expect(shown.split('\n')).toEqual([
      '1 Lens The moon is blurry at the edges',
      '2 Mount Mount turns west when asked to turn east',
    ]);
  });

  it('as a command changes a bug', async () => {
    const made = bugzilla(
      'new',
      '--product=Telescope',
      '--component=Mount',
      '--version=2.0',
      '--summary=Squeaks',
      '--comment=Loudly',
      '--outputformat=%{id}',
    );
    const id = made.split('\n').at(-1) ?? '';
    bugzilla('modify', id, '--status=IN_PROGRESS', '--keywords=+good-first-bug', '--cc=dev@bugless.example');
    bugzilla('modify', id, '--status=RESOLVED', '--field=resolution=FIXED', '--comment=Oiled');
    const { body } = await demo.call('GET', `/rest/bug/${id}`, { key: keys.admin });
    expect(body.bugs[0]).toMatchObject({
      status: 'RESOLVED',
      resolution: 'FIXED',
      keywords: ['good-first-bug'],
      cc: ['dev@bugless.example'],
    });
  });

  it('as a command attaches files and downloads them', () => {
    const piped = { input: 'from a pipe\n' };
    const made = run(piped, 'attach', '--file=notes.txt', '--desc=Notes', '--type=text/plain', '2');
    const [, id] = /^Created attachment (\d+) on bug 2$/m.exec(made) ?? [];
    const get = mkdtempSync(join(home, 'get-'));
    expect(run({ cwd: get }, 'attach', `--get=${id}`)).toBe('Wrote notes.txt');
    expect(readFileSync(join(get, 'notes.txt'), 'utf8')).toBe('from a pipe\n');
    expect(run({ cwd: get }, 'attach', '--getall=2', '--ignore-obsolete').split('\n')).toContain(
      'Wrote notes.txt.1',
    );
  });

  it('as a module supports every product, comment and bug operation', () => {
    const script = join(import.meta.dirname, 'python_bugzilla.py');
    const { status, stderr } = spawnSync(PYTHON, [script, demo.url(), keys.admin, keys.dev, keys.former], {
      encoding: 'utf8',
      env: { ...process.env, HOME: '/nonexistent' },
    });
    expect(stderr).toMatch(/^OK$/m);
    expect(status).toBe(0);
  });
});
