import { describe, expect, it } from 'vitest';
import { referenceCatalogue, startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';

const bugless = useStarted(startBuglessWithPermissions);

const BUG = { product: 'Alpha', component: 'Core', version: '1.0', summary: 'With an alias' };
const unusable = ['comment', 'Comment', 'attachment', '.', '..', 'a/b', 'a\\b', '12', 'a\u200bb'];

describe('an alias by which a bug cannot be addressed', () => {
  it.each(unusable)('is refused when a bug is created, changed or applied: %j', async (alias) => {
    const created = await bugless.call('POST', '/rest/bug', { key: keys.admin, body: { ...BUG, alias } });
    expect([created.status, created.body.code]).toEqual([400, 103]);
    const changed = await bugless.call('PUT', '/rest/bug/1', {
      key: keys.admin,
      body: { alias: { add: [alias] } },
    });
    expect([changed.status, changed.body.code]).toEqual([400, 103]);
    const [bug, ...bugs] = referenceCatalogue().bugs;
    const catalogue = { ...referenceCatalogue(), bugs: [{ ...bug, aliases: [alias] }, ...bugs] };
    expect(() => parseNumbered(catalogue)).toThrow('$.bugs[0].aliases[0]');
  });

  it('is not any other, which addresses the bug in any case', async () => {
    const alias = 'Größe-№1+%~?#';
    const { body } = await bugless.call('POST', '/rest/bug', { key: keys.admin, body: { ...BUG, alias } });
    const path = `/rest/bug/${encodeURIComponent(alias.toLowerCase())}`;
    const found = await bugless.call('GET', path, { key: keys.admin });
    expect(found.body.bugs[0].id).toBe(body.id);
  });
});
