import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { newTable, referenceCatalogue, serve, startService } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { addUsers, importInto, problemLines, required, sortDeep } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';

describe('an import', () => {
  it('makes Bugless respond as Bugzilla, with the same ids', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable();
    const result = await importInto(table, bugzilla.url);
    expect(result.version).toBe('5.2+');
    expect(result.summary).toMatchObject({
      products: { added: 13 },
      bugs: { added: 9 },
      comments: { added: 123 },
    });
    expect(problemLines(result, 'bugs not copied')).toEqual([]);
    expect(problemLines(result, 'parts of products and bugs not copied')).toEqual([]);
    await expectNoViolations(table);

    await addUsers(table);
    const bugless = await serve(table);
    const ids = referenceCatalogue().products.map(({ id }) => `ids=${id}`);
    for (const key of [keys.admin, keys.tagger, undefined]) {
      const same = async (path: string) => {
        const { body } = await bugless.call('GET', path, { key });
        expect(sortDeep(body)).toEqual(sortDeep(bugzilla.respond(path, key).body));
      };
      await same(`/rest/product?${ids.join('&')}`);
      await same('/rest/product_selectable');
      await same('/rest/product_enterable');
    }
    for (const key of [keys.admin, keys.insider, undefined]) {
      for (const { id } of referenceCatalogue().bugs) {
        const path = `/rest/bug/${id}/comment`;
        const { status, body } = await bugless.call('GET', path, { key });
        const expected = bugzilla.respond(path, key);
        expect(status).toBe(expected.status);
        if (status === 200) expect(withoutCounts(body)).toEqual(withoutCounts(expected.body));
      }
    }
    const { body } = await bugless.call('GET', '/rest/bug/alpha-bug/comment?include_fields=count', {
      key: keys.admin,
    });
    expect(body.bugs['1'].comments.map(({ count }: { count: number }) => count)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8,
    ]);
  });
});

describe('an import from Bugless', () => {
  it('makes the copy respond as the original', async () => {
    const file = join(import.meta.dirname, '../../infra/local/demo-catalogue.json');
    const demo = parseCatalogue(JSON.parse(await readFile(file, 'utf8')));
    const original = await startService(demo);
    const table = await newTable();
    const result = await importInto(
      table,
      original.url,
      {},
      { key: 'AdminDemoKey0000000000000000000000000000' },
    );
    expect(problemLines(result, 'bugs not copied')).toEqual([]);
    expect(result.summary.bugs.added).toBe(demo.bugs.length);
    const users = demo.users.map((user) =>
      user.groups?.includes('security') ? { ...user, groups: [...user.groups, 'bugzilla-restricted'] } : user,
    );
    // The import gave some of these ids to groups whose names are hidden from the key.
    const groups = demo.groups.map(({ id: _, ...group }) => group);
    await applyCatalogue(table, parseCatalogue({ groups, users }));
    await expectNoViolations(table);
    const copy = await serve(table);
    const paths = [
      '/rest/product',
      '/rest/product_selectable',
      '/rest/bug/comment/tags/e',
      '/rest/field/bug',
      // Hours worked are not exposed with comments.
      '/rest/bug?exclude_fields=actual_time',
      ...demo.bugs.flatMap(({ id }) => [
        `/rest/bug/${id}/comment`,
        `/rest/bug/${id}/history`,
        `/rest/bug/${id}/attachment`,
        `/rest/bug/${id}?include_fields=flags,cf_build`,
      ]),
    ];
    for (const path of paths) {
      for (const key of [
        'AdminDemoKey0000000000000000000000000000',
        'GuardDemoKey0000000000000000000000000000',
        undefined,
      ]) {
        const [before, after] = await Promise.all([
          original.call('GET', path, { key }),
          copy.call('GET', path, { key }),
        ]);
        // A stand-in for the groups of the product, which REST does not show.
        const copied = JSON.parse(JSON.stringify(after.body).replaceAll('"bugzilla-restricted",', ''));
        expect([path, after.status, copied]).toEqual([path, before.status, before.body]);
      }
    }
  });
});

describe('a partial import', () => {
  it('is restricted by products and ids; the server limits the page size', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    bugzilla.content.maxPageSize = 2;
    const table = await newTable();
    const options = { products: ['alpha', 'Closed'], fromBug: 2, toBug: 7, bugsPerPage: 100 };
    const result = await importInto(table, bugzilla.url, options);
    expect(result.summary).toMatchObject({ products: { added: 2 }, bugs: { added: 4 } });
    const rest = await importInto(table, bugzilla.url, { products: ['Alpha'] });
    expect(rest.summary.bugs.added).toBe(3);
    expect(rest.unchangedBugs).toBe(3);
  });

  it('copies the history of a bug that changed in the second of its creation', async () => {
    const catalogue = referenceCatalogue();
    const bug = required(catalogue.bugs.find(({ id }) => id === 2));
    const when = required(bug.comments[0]).creation_time;
    bug.comments.length = 1;
    bug.last_change_time = when;
    const changes = [{ field_name: 'priority', removed: '---', added: 'High' }];
    bug.history = [{ when, who: bug.reporter, changes }] as typeof bug.history;
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const table = await newTable();
    await importInto(table, bugzilla.url, { products: ['Alpha'], fromBug: 2, toBug: 2 });
    const { bugs } = await exportedCatalogue(table);
    expect(bugs).toMatchObject([{ id: 2, history: bug.history }]);
  });

  it('copies the template of descriptions from another Bugless, and none that is too long', async () => {
    const catalogue = referenceCatalogue();
    const product = required(catalogue.products.find(({ name }) => name === 'Closed'));
    product.description_template = 'Steps:';
    const bugzilla = await startSimulatedBugzilla(catalogue);
    const table = await newTable();
    const copied = async () => {
      const result = await importInto(table, bugzilla.url, { products: ['Closed'] });
      const { products } = await exportedCatalogue(table);
      return [
        products[0].description_template,
        problemLines(result, 'parts of products and bugs not copied').length,
      ];
    };
    expect(await copied()).toEqual(['Steps:', 0]);
    required(bugzilla.content.catalogue.products.find(({ name }) => name === 'Closed')).description_template =
      'x'.repeat(20_001);
    expect(await copied()).toEqual(['Steps:', 1]);
  });

  it('fails when a product does not exist', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    await expect(importInto(await newTable(), bugzilla.url, { products: ['Nosuch'] })).rejects.toThrow(
      `${bugzilla.url} does not show a product 'Nosuch'`,
    );
  });
});

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
function withoutCounts({ bugs }: any): unknown {
  return Object.entries<{ comments: { count: number }[] }>(bugs).map(([id, { comments }]) => [
    id,
    comments.map(({ count: _, ...comment }) => comment),
  ]);
}
