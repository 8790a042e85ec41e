import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './environment.ts';
import { printTable } from './print.ts';

const README = join(PROJECT, 'test/README.md');
/** Under `test/`, in alphabetical order. */
const NO_TESTS = new Set(['bench', 'reference', 'support']);

/** Seconds of processor time of the processes that `times` of a shell has waited for, its last two columns. */
function secondsIn(line: string): number {
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/** Runs the tests of each folder, and writes their processor time, children included, into the table of test/README.md. */
export async function tests(): Promise<void> {
  const folders = readdirSync(join(PROJECT, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_TESTS.has(entry.name))
    .map(({ name }) => name);
  const rows = folders.map((folder) => {
    const script = `npm test -- test/${folder}/ >&2; status=$?; times | tail -n 1; exit $status`;
    const { status, stdout } = spawnSync('bash', ['-c', script], {
      cwd: PROJECT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return { folder, seconds: Math.round(secondsIn(stdout)), exit: status ?? 1 };
  });
  const text = rows.reduce(
    (readme, { folder, seconds }) =>
      readme.replace(
        new RegExp(`^(\\| \`${folder}/\` .*\\|)[^|]*\\|$`, 'm'),
        `$1 ${`${seconds} s`.padEnd(9)} |`,
      ),
    readFileSync(README, 'utf8'),
  );
  writeFileSync(README, text);
  printTable('Processor time of tests (seconds)', rows);
}
