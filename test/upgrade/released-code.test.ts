import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { watchRepository } from '../../lib/changes/watches/repository.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import { unsubscribeRepository } from '../../lib/people/unsubscribe.ts';
import { newTable, serve } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** 1.2.0, as infra/README.md names it. */
const RELEASE = '1a380da8';
const hasRelease = spawnSync('git', ['cat-file', '-e', `${RELEASE}^{commit}`], { cwd: PROJECT }).status === 0;

/** Changes a user with the code of a release, and prints what it exports of that user. */
const CHANGE = `
const { openTable } = await import('./lib/table/client.ts');
const { accountRepository } = await import('./lib/people/account-repository.ts');
const { exportCatalogue } = await import('./lib/catalogue/export.ts');
const [name, endpoint, login] = process.argv.slice(1);
const table = openTable(name, endpoint, {});
const accounts = accountRepository(table);
const { user, keys, revision } = await accounts.read(login);
await accounts.write({ user, keys, revision }, { user: { ...user, real_name: 'Renamed' }, keys });
const lines = [];
for await (const line of exportCatalogue(table)) lines.push(line);
console.log(JSON.stringify(JSON.parse(lines.at(-1)).users));
`;

const LOGIN = 'ann@example.org';
const WATCHES = { watched_users: ['bob@example.org'], watched_components: [] };
const catalogue = parseCompleteCatalogue({
  groups: [{ id: 1, name: 'team' }],
  users: [
    {
      ...{ id: 5, login: LOGIN, groups: ['team'], api_keys: [{ key: keys.plain }] },
      mail_off: { roles: ['cc'], changes: ['status'] },
      saved_searches: [{ name: 'One', query: 'product=Alpha', group: 'team' }],
      ...WATCHES,
    },
    { id: 6, login: 'bob@example.org' },
  ],
});

describe.skipIf(!hasRelease)('the code of 1.2.0', () => {
  it('keeps preferences, saved searches and what is watched of a user whom it changes, and exports a table that has them', () =>
    inNewFolder(async (folder) => {
      const archive = execFileSync('git', ['archive', RELEASE, 'lib', 'package.json'], {
        cwd: PROJECT,
        maxBuffer: 64 * 1_048_576,
      });
      execFileSync('tar', ['-x', '-C', folder], { input: archive });
      symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
      const table = await newTable(catalogue);
      await unsubscribeRepository(table).ensure();
      const args = ['--input-type=module', '--eval', CHANGE, table.name, dynamoDbEndpoint(), LOGIN];
      const env = { ...process.env, ...LOCAL_CREDENTIALS };
      const users = JSON.parse(execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' }));
      expect(users).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ login: LOGIN, real_name: 'Renamed', groups: ['team'] }),
        ]),
      );

      const bugless = await serve(table);
      const { body } = await bugless.call('GET', '/rest/bugless/preferences', { key: keys.plain });
      expect(body).toEqual({
        ...{ real_name: 'Renamed', email_enabled: true },
        ...{ mail_off: { roles: ['cc'], changes: ['status'] }, ...WATCHES },
      });
      const watchers = await watchRepository(table).watchersOf([{ kind: 'user', id: 6 }]);
      expect([...watchers.values()]).toMatchObject([{ user_ids: [5] }]);
      expect((await savedSearchRepository(table).of(5)).searches).toHaveLength(1);
      await expectNoViolations(table);
    }));
});
