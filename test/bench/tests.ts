import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { FOLDERS_OF_NPM_TEST } from '../support/test-config.ts';
import { PROJECT } from './environment.ts';
import { printTable } from './print.ts';

const TESTS = join(PROJECT, 'test');
const README = join(TESTS, 'README.md');
/** The order in which npm test begins files: support/longest-first.ts */
const LONGEST = join(TESTS, 'support/longest-files.json');
const LONG_SECONDS = 5;
/** Folders under `test/` without tests. */
const NO_TESTS = new Set(['bench', 'reference', 'support']);

interface Report {
  testResults: { name: string; startTime: number; endTime: number }[];
}

/** Seconds of the children of a shell, which the last line of its `times` has. */
function secondsIn(times: string): number {
  return [...(times.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/**
 * Runs the tests of each folder: writes their processor time, children included, into the table of test/README.md, and the
 * files that take longest into the list by which npm test begins them.
 */
export async function tests(): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'bugless-bench-'));
  const folders = readdirSync(TESTS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_TESTS.has(entry.name))
    .map(({ name }) => name);
  const files: { name: string; seconds: number }[] = [];
  const rows = folders.map((folder) => {
    const report = join(temporary, `${folder}.json`);
    const command = FOLDERS_OF_NPM_TEST.includes(folder) ? 'test' : 'test:all';
    const script = `npm run ${command} -- test/${folder}/ --reporter=json --outputFile=${report} >&2; status=$?; times; exit $status`;
    const { status, stdout } = spawnSync('bash', ['-c', script], {
      cwd: PROJECT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
    for (const { name, startTime, endTime } of testResults) {
      files.push({ name: relative(TESTS, name), seconds: (endTime - startTime) / 1_000 });
    }
    return { folder, seconds: Math.round(secondsIn(stdout)), exit: status ?? 1 };
  });
  rmSync(temporary, { recursive: true });
  const text = rows.reduce(
    (readme, { folder, seconds }) =>
      readme.replace(
        new RegExp(`^(\\| \`${folder}/\` .*\\|)[^|]*\\|$`, 'm'),
        `$1 ${`${seconds} s`.padEnd(9)} |`,
      ),
    readFileSync(README, 'utf8'),
  );
  writeFileSync(README, text);
  const longest = files
    .filter(({ seconds }) => seconds >= LONG_SECONDS)
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ name }) => name);
  writeFileSync(LONGEST, `${JSON.stringify(longest, undefined, 2)}\n`);
  printTable('Processor time of tests (seconds)', rows);
}
