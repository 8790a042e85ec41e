import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bugzillaClient } from '../../infra/admin/import/bugzilla-client.ts';
import { type Verification, verifyImport } from '../../infra/admin/import/verify/verify-import.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { givesRights } from '../../lib/users/rights.ts';
import { FAST_OPTIONS } from './importing.ts';
import { keys } from './keys.ts';
import { rolloverCatalogue } from './rollover-catalogue.ts';

/** Gives the administrator of an imported table a key, and all groups. */
export async function enableAdmin(table: Table): Promise<void> {
  const [admin] = rolloverCatalogue(0).users;
  const groups = [...(admin?.groups ?? []), 'bugzilla-restricted'];
  const user = { login: admin?.login, real_name: admin?.real_name, groups, api_keys: [{ key: keys.admin }] };
  await applyCatalogue(table, parseCatalogue({ groups: [{ name: 'bugzilla-restricted' }], users: [user] }));
}

/** Compares two servers as `import --verify` does, all bugs of them. */
export const verifyBoth = (
  there: string,
  here: string,
  { sample = Number.POSITIVE_INFINITY, key = keys.admin }: { sample?: number; key?: string | undefined } = {},
): Promise<Verification> => {
  const client = (url: string) => bugzillaClient({ ...FAST_OPTIONS, url, key });
  return verifyImport(
    { there: client(there), here: client(here) },
    {
      sample,
      file: join(tmpdir(), `differences-${process.pid}-${new URL(here).port}.ndjson`),
      givesRights: givesRights({
        INSIDER_GROUP: 'insiders',
        TIMETRACKING_GROUP: 'timetrackers',
        COMMENT_TAGGERS_GROUP: 'taggers',
        WEBHOOKS_GROUP: '',
      }),
    },
  );
};
