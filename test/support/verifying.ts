import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bugzillaClient } from '../../infra/import/bugzilla-client.ts';
import {
  type Verification,
  type VerifyOptions,
  verifyImport,
} from '../../infra/import/verify/verify-import.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { givesRights } from '../../lib/people/rights.ts';
import { validGroups } from '../../lib/products/group-controls.ts';
import { productRepository } from '../../lib/products/repository.ts';
import type { Table } from '../../lib/table/client.ts';
import { FAST_OPTIONS } from './importing.ts';
import { keys } from './keys.ts';
import { parseNumbered } from './numbered.ts';
import { rolloverCatalogue } from './rollover-catalogue.ts';

/** Gives the administrator of an imported table a key, and all groups. */
export async function enableAdmin(table: Table): Promise<void> {
  const [admin] = rolloverCatalogue(0).users;
  const groups = [...(admin?.groups ?? []), 'bugzilla-restricted'];
  const user = { login: admin?.login, real_name: admin?.real_name, groups, api_keys: [{ key: keys.admin }] };
  await applyCatalogue(table, parseNumbered({ groups: [{ name: 'bugzilla-restricted' }], users: [user] }));
}

/** Compares two servers as `import --verify` does, all bugs of them. */
export const verifyBoth = (
  there: string,
  here: string,
  {
    sample = Number.POSITIVE_INFINITY,
    key = keys.admin,
    ...more
  }: { sample?: number; key?: string | undefined } & Pick<VerifyOptions, 'also' | 'controlsOf'> = {},
): Promise<Verification> => {
  const client = (url: string) => bugzillaClient({ ...FAST_OPTIONS, url, key });
  return verifyImport(
    { there: client(there), here: client(here) },
    {
      ...more,
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

/** All differences between two servers as lines, each with the import that mends it. */
export async function verifiedLines(there: string, here: string, table: Table): Promise<string[]> {
  const products = productRepository(table);
  const controlsOf = async (name: string) => {
    const [id = 0] = (await products.idsByName([name])).values();
    const product = await products.byId(id);
    return product && validGroups(product);
  };
  const { file } = await verifyBoth(there, here, { controlsOf });
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const one = JSON.parse(line);
    return `${one.where}, ${one.field}, ${one.reader}: there ${one.there}, here ${one.here} (${one.mended_by})`;
  });
}
