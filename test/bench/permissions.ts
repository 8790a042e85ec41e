import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { PROJECT } from './environment.ts';
import { printTable } from './print.ts';

/** The folders whose requests run with the permissions that functions have when they are deployed. */
const FOLDERS = ['http', 'search', 'events'];

/** Runs tests with the permissions of functions, and prints the pairs of action and partition that no request used. */
export async function permissions(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bugless-bench-'));
  const file = join(folder, 'permissions');
  spawnSync('npm', ['run', 'test:all', '--', ...FOLDERS.map((name) => `test/${name}/`)], {
    cwd: PROJECT,
    env: { ...process.env, PERMISSIONS_LOG: file },
    stdio: ['ignore', 2, 2],
  });
  const used = new Set(readFileSync(file, 'utf8').split('\n'));
  rmSync(folder, { recursive: true });
  const rows = [...endpointGroups, ...consumers].flatMap(({ name, permissions: statements }) => {
    const pairs = statements.flatMap(({ actions, partitions }) =>
      actions.flatMap((action) => partitions.map((partition) => `${name} ${action} ${partition}`)),
    );
    const unused = [...new Set(pairs)].filter((pair) => !used.has(pair));
    const byAction = Map.groupBy(unused, (pair) => pair.split(' ')[1] ?? '');
    return [
      {
        function: name,
        action: 'all',
        permitted: new Set(pairs).size,
        'never used': unused.length,
        partitions: '',
      },
      ...[...byAction].map(([action, some]) => ({
        ...{ function: '', action, permitted: '', 'never used': some.length },
        partitions: some.map((pair) => pair.split(' ')[2]).join(' '),
      })),
    ];
  });
  printTable('Pairs of action and partition that functions may use, and that no test used', rows);
}
