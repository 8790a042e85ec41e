import { appendFileSync } from 'node:fs';
import type { IamAction } from '../../infra/local/bundled/iam-proxy.ts';

/**
 * With `PERMISSIONS_LOG=FILE`, a line there for each action of a function on a kind of partition: `npm run bench -- permissions`
 * reads them.
 */
export function permissionLog(name: string): ((actions: readonly IamAction[]) => void) | undefined {
  const file = process.env['PERMISSIONS_LOG'];
  if (file === undefined) return undefined;
  const known = new Set<string>();
  return (actions) => {
    for (const { action, partition = '' } of actions) {
      const kind = partition.startsWith('COUNTER#') ? partition : partition.replace(/#.*/s, '#*');
      const line = `${name} ${action} ${kind}\n`;
      if (!known.has(line)) appendFileSync(file, line);
      known.add(line);
    }
  };
}
