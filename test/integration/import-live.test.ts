import { describe, expect, it } from 'vitest';
import { COLLISIONS } from '../../infra/admin/import/problems.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
import { addUsers, importInto, problemLines, required, shortCatalogue } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { allItems } from '../support/table-items.ts';

const ACCESS = 'products with inferred access';
const MANDATORY = { entry: true, membercontrol: 'MANDATORY', canedit: false } as const;

/** A Bugzilla with what was imported from it, which may be changed since. */
async function start(options: object = {}) {
  const bugzilla = await startSimulatedBugzilla(shortCatalogue());
  const table = await newTable();
  const run = (more: object = {}) => importInto(table, bugzilla.url, { ...options, ...more });
  const first = await run();
  const { products, bugs } = bugzilla.content.catalogue;
  return {
    ...{ bugzilla, table, run, first, content: bugzilla.content },
    product: (name: string) => required(products.find((one) => one.name === name)),
    bug: (id: number) => required(bugs.find((one) => one.id === id)),
    here: await serve(table),
    controls: async (id: number) => (await productRepository(table).byId(id))?.group_controls,
  };
}

describe('groups of bugs in a public product', () => {
  it('are groups of the product here, so that new bugs are restricted as there', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const [one, two] = [1, 2].map((id) =>
      required(bugzilla.content.catalogue.bugs.find((bug) => bug.id === id)),
    );
    Object.assign(required(one), { groups: ['secret-team'], reporter: 'secret@example.com' });
    const table = await newTable();
    const run = () => importInto(table, bugzilla.url, { products: ['Alpha'], into: true });
    const lines = problemLines(await run(), ACCESS);
    expect(lines.filter((line) => line.includes("'secret-team' is DEFAULT"))).toHaveLength(1);
    expect(lines.join()).toContain('say with a catalogue what it is, before --final');
    // It is said again as long as nobody has said it.
    expect(problemLines(await run(), ACCESS)).toEqual(lines);
    await addUsers(table);
    const { call } = await serve(table);
    const body = {
      ...{ product: 'Alpha', component: required(two).component, version: 'unspecified' },
      ...{ summary: 'New', op_sys: 'All', platform: 'All' },
    };
    const { status, body: created } = await call('POST', '/rest/bug', { key: keys.secret, body });
    expect([status, created.message]).toEqual([200, undefined]);
    const { groups } = (await call('GET', `/rest/bug/${created.id}`, { key: keys.admin })).body.bugs[0];
    expect(groups).toEqual(['secret-team']);
    await expectNoViolations(table);
  });
});

describe('a product that becomes private in Bugzilla', () => {
  it('is private here before anything of its bugs is read, and public again after them', async () => {
    const { bugzilla, product, controls, run, here, table } = await start();
    const alpha = product('Alpha');
    expect((await here.call('GET', '/rest/bug/2')).status).toBe(200);
    alpha.group_controls = [{ group: 'secret-team', ...MANDATORY }];
    bugzilla.content.changed.set(2, '2030-01-01T00:00:00Z');
    bugzilla.decide = ({ target }) =>
      /\/rest\/bug\/\d+\/history/.test(target)
        ? { status: 401, body: '{"error":true,"code":410}' }
        : 'answer';
    await expect(run()).rejects.toThrow();
    expect((await here.call('GET', '/rest/bug/2')).body.code).toBe(102);
    expect((await here.call('GET', '/rest/product_selectable')).body.ids).not.toContain(2);
    bugzilla.decide = () => 'answer';
    const result = await run({ everything: true });
    expect(problemLines(result, ACCESS).join()).toContain("product 'Alpha': it is not public in Bugzilla");
    expect((await here.call('GET', '/rest/bug/2')).body.code).toBe(102);
    alpha.group_controls = [];
    await run();
    expect((await here.call('GET', '/rest/bug/2')).status).toBe(200);
    expect(await controls(2)).not.toContainEqual(expect.objectContaining({ group: 'bugzilla-restricted' }));
    await expectNoViolations(table);
  });

  it('is hidden here where its bugs are hidden from the key, too', async () => {
    const { product, run, here } = await start();
    product('Alpha').group_controls = [{ group: 'nobody', ...MANDATORY }];
    await expect(run()).rejects.toThrow('Bugzilla shows less than in an earlier run');
    expect((await here.call('GET', '/rest/bug/2')).body.code).toBe(102);
  });

  it('keeps what the operator has written, and lists it where it is public there', async () => {
    const { table, run } = await start({ products: ['Closed'] });
    await adminOf(table)('group', 'add', 'mine');
    const [id = 0] = (await productRepository(table).idsByName(['Closed'])).values();
    const group_controls = [{ group: 'mine', ...MANDATORY }];
    await applyCatalogue(table, parseCatalogue({ products: [{ id, name: 'Closed', group_controls }] }));
    expect(problemLines(await run(), ACCESS)).toEqual([
      "product 'Closed': everybody sees it in Bugzilla; here its group controls restrict it, and stay",
    ]);
    expect((await productRepository(table).byId(id))?.group_controls).toEqual(group_controls);
  });
});

describe('a bug that is in a further group in Bugzilla', () => {
  it('is in it here before anything else of it is read, though nothing says when it changed', async () => {
    const { bugzilla, bug, run, here } = await start();
    bug(2).groups = ['secret-team'];
    bugzilla.decide = ({ target }) =>
      /\/rest\/bug\/2\//.test(target) ? { status: 401, body: '{"error":true,"code":410}' } : 'answer';
    await expect(run()).rejects.toThrow();
    expect((await here.call('GET', '/rest/bug/2')).body.code).toBe(102);
  });
});

describe('a user with another login in Bugzilla', () => {
  const [OLD, NEW] = ['admin@example.com', 'root@example.com'];

  it('has it in all bugs, comments, flags and histories here, which go on being updated', async () => {
    const { bugzilla, bug, content, run, table } = await start();
    const { catalogue } = content;
    const changes = [{ field_name: 'priority', removed: '---', added: 'High' }];
    Object.assign(bug(2), { history: [{ when: '2030-01-01T00:00:00Z', who: OLD, changes }] });
    content.changed.set(2, '2030-01-01T00:00:00Z');
    await run();
    // As `UPDATE profiles` does: everything names the new one, and nothing says when it changed.
    content.catalogue = JSON.parse(
      JSON.stringify(catalogue).replaceAll(JSON.stringify(OLD), JSON.stringify(NEW)),
    );
    const commented = required(content.catalogue.bugs.find(({ id }) => id === 2));
    const last = required(commented.comments.at(-1));
    commented.comments.push({ ...last, id: 9_000, text: 'Later', creation_time: '2030-01-02T00:00:00Z' });
    content.changed.set(2, '2030-01-02T00:00:00Z');
    const result = await run();
    expect(problemLines(result, COLLISIONS)).toEqual([]);
    expect(problemLines(result, 'bugs not copied')).toEqual([]);
    const named = (await allItems(table)).filter(
      (item) => /^(BUG|USER|APIKEY)/.test(item.pk) && JSON.stringify({ ...item, imported: 0 }).includes(OLD),
    );
    expect(named).toEqual([]);
    bugzilla.requests.length = 0;
    const again = await run();
    expect(again.summary.bugs).toMatchObject({ added: 0, changed: 0 });
    expect(bugzilla.requests.filter(({ target }) => target.includes('/comment'))).toEqual([]);
    await expectNoViolations(table);
  });
});
