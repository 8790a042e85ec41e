import { describe, expect, it } from 'vitest';
import { adminOf, runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { fileFor, shortCatalogue } from '../support/importing.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';

describe('npm run admin -- import', () => {
  it('prints what was copied and what was not, without the API key', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const environment = {
      TABLE_NAME: table.name,
      DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
      BUGZILLA_API_KEY: keys.admin,
    };
    const args = [
      'import',
      `${bugzilla.url}/rest/`,
      '--rate',
      '500',
      '--product',
      'Alpha',
      '--product',
      'Secret',
      '--keep',
      fileFor(table),
    ];
    const { code, stdout, stderr } = await runAdmin(args, environment);
    expect(code).toBe(0);
    expect(stdout).toContain(`From Bugzilla 5.2+ at ${bugzilla.url}, with `);
    expect(stdout).toContain('products: 2 added, 0 changed, 0 unchanged\nbugs: 7 added');
    expect(stdout).toContain(`The catalogue is in ${fileFor(table)}`);
    expect(stdout).toContain("1 products with inferred access:\n  product 'Secret': ");
    expect(stdout).toContain('Not copied:\n  Users, group memberships');
    expect(stderr).toMatch(/products +█+ 2 of 2\n/);
    expect(stderr).toMatch(/bugs +[█░]+ 7 of 7/);
    expect(stdout + stderr).not.toContain(keys.admin);

    const again = await runAdmin([...args, '--json'], environment);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      unchangedBugs: 7,
      summary: { products: { unchanged: 2 } },
    });
  });

  it('prints an error and exits with code 1', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const admin = adminOf(await newTable());
    const wrong = await admin('import', bugzilla.url, '--key', keys.unknown);
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: 'The API key (the API key) is invalid.\n' });
    bugzilla.decide = () => 'cut';
    const cut = await admin('import', bugzilla.url);
    expect(cut).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${bugzilla.url} cannot be reached`),
    });
  });
});
