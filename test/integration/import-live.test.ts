import { describe, expect, it } from 'vitest';
import { COLLISIONS, OTHER_NAME } from '../../infra/import/problems.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { groupRepository } from '../../lib/people/group-repository.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serve } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import {
  addUsers,
  importedTable,
  importInto,
  problemLines,
  required,
  shortCatalogue,
} from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { renameGroup } from '../support/living-bugzilla.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { allItems } from '../support/table-items.ts';

const ACCESS = 'products with inferred access';
const MANDATORY = { entry: true, membercontrol: 'MANDATORY', canedit: false } as const;

/** A Bugzilla with what was imported from it, which may be changed since. */
async function start(options: object = {}, catalogue = shortCatalogue()) {
  const bugzilla = await startSimulatedBugzilla(catalogue);
  const table = await importedTable(bugzilla, options);
  const { products, bugs } = bugzilla.content.catalogue;
  return {
    ...{ bugzilla, table, content: bugzilla.content },
    run: (more: object = {}) => importInto(table, bugzilla.url, { ...options, ...more }),
    product: (name: string) => required(products.find((one) => one.name === name)),
    bug: (id: number) => required(bugs.find((one) => one.id === id)),
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
    const { call } = await (await serve(table)).listen();
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
    const { bugzilla, product, controls, run, table } = await start({}, shortCatalogue(3));
    const here = await (await serve(table)).listen();
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
    alpha.group_controls = [];
    for (const some of [{ fromBug: 2 }, { partial: true }]) {
      await run(some);
      expect([some, (await here.call('GET', '/rest/bug/2')).body.code]).toEqual([some, 102]);
    }
    alpha.group_controls = [{ group: 'secret-team', ...MANDATORY }];
    await run();
    expect((await here.call('GET', '/rest/bug/2')).body.code).toBe(102);
    alpha.group_controls = [];
    await run();
    expect((await here.call('GET', '/rest/bug/2')).status).toBe(200);
    expect(await controls(2)).not.toContainEqual(expect.objectContaining({ group: 'bugzilla-restricted' }));
    await expectNoViolations(table);
  });

  it('is never shown again to a reader who asks all the time, nor hidden again after its release', async () => {
    const { product, run, table } = await start({}, shortCatalogue(3));
    const here = await (await serve(table)).listen();
    const outcomesDuring = async (options: object) => {
      const outcomes: number[] = [];
      const ask = async () => {
        const { body } = await here.call('GET', '/rest/bug/2?include_fields=id');
        const outcome = body.code ?? 200;
        if (outcomes.at(-1) !== outcome) outcomes.push(outcome);
      };
      await ask();
      let isRunning = true;
      const running = run(options).finally(() => {
        isRunning = false;
      });
      while (isRunning) await ask();
      await running;
      await ask();
      return outcomes;
    };
    product('Alpha').group_controls = [{ group: 'secret-team', ...MANDATORY }];
    expect(await outcomesDuring({ everything: true })).toEqual([200, 102]);
    expect(await outcomesDuring({ everything: true })).toEqual([102]);
    product('Alpha').group_controls = [];
    expect(await outcomesDuring({})).toEqual([102, 200]);
    expect(await outcomesDuring({})).toEqual([200]);
  });

  it('is hidden here where its bugs are hidden from the key, too', async () => {
    const { product, run, table } = await start();
    const here = await (await serve(table)).listen();
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
    expect((await productRepository(table).byId(id))?.group_controls).toMatchObject(group_controls);
  });
});

describe('a group with another name in Bugzilla', () => {
  it('does not get one whose members have rights here, unless the import gives rights', async () => {
    const { bugzilla, table, run } = await start();
    renameGroup(bugzilla, 'secret-team', 'editplans');
    expect(problemLines(await run(), OTHER_NAME).join()).toContain(
      "group 'editplans': was 'secret-team': members of 'editplans' have rights here",
    );
    expect((await groupRepository(table).byNames(['secret-team'])).map(({ name }) => name)).toEqual([
      'secret-team',
    ]);
  });
});

describe('a group that has the name of another one in Bugzilla', () => {
  it('ends the run before anything is copied', async () => {
    const { bugzilla, content, bug, run, table } = await start();
    const here = await (await serve(table)).listen();
    const other = required(content.catalogue.groups.find(({ name }) => name !== 'secret-team')).name;
    renameGroup(bugzilla, 'secret-team', 'gone');
    renameGroup(bugzilla, other, 'secret-team');
    Object.assign(bug(2), { whiteboard: 'changed' });
    content.changed.set(2, '2030-01-01T00:00:00Z');
    await expect(run()).rejects.toThrow(`the group '${other}' has become 'secret-team'`);
    expect((await here.call('GET', '/rest/bug/2')).body.bugs[0].whiteboard).not.toBe('changed');
  });
});

describe('a bug that is in a further group in Bugzilla', () => {
  it('is in it here before anything else of it is read, though nothing says when it changed', async () => {
    const { bugzilla, bug, run, table } = await start();
    const here = await (await serve(table)).listen();
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

describe('a product with another name in Bugzilla', () => {
  it('has it here, told by its id, also where it takes that of another one', async () => {
    const { product, content, run, table } = await start();
    const here = await (await serve(table)).listen();
    const [alpha, closed] = [product('Alpha'), product('Closed')];
    const renamed = new Map([
      ['Alpha', 'Closed'],
      ['Closed', 'Gone'],
    ]);
    [alpha.name, closed.name] = ['Closed', 'Gone'];
    for (const bug of content.catalogue.bugs) bug.product = renamed.get(bug.product) ?? bug.product;
    const result = await run();
    expect(problemLines(result, 'products not copied')).toEqual([]);
    expect(problemLines(result, 'bugs not copied')).toEqual([]);
    expect(result.summary.bugs).toMatchObject({ added: 0 });
    const names = async (...of: string[]) => [...(await productRepository(table).idsByName(of)).keys()];
    expect(await names('Alpha', 'Closed', 'Gone')).toEqual(['closed', 'gone']);
    const { body } = await here.call('GET', '/rest/bug/2?include_fields=product');
    expect(body.bugs).toEqual([{ product: 'Closed' }]);
    expect((await run()).summary.products.changed).toBe(0);
    await expectNoViolations(table);
  });

  it('keeps its parts where Bugzilla shows no components, or no milestones', async () => {
    const { product, run, table } = await start();
    const before = (await exportedCatalogue(table)).products;
    product('Closed').components = [];
    product('Alpha').milestones = [];
    const lines = problemLines(await run(), 'parts of products and bugs not copied').join();
    for (const [name, kind] of [
      ['Closed', 'components'],
      ['Alpha', 'milestones'],
    ]) {
      expect(lines).toContain(
        `product '${name}': Bugzilla shows none of its ${kind} any more; its parts here stay`,
      );
    }
    expect((await exportedCatalogue(table)).products).toEqual(before);
  });

  it('is not copied where its id is that of a product of this side', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    await applyCatalogue(table, parseCatalogue({ products: [{ id: 2, name: 'Mine' }] }));
    expect(problemLines(await importInto(table, bugzilla.url), 'products not copied')).toEqual([
      "product 'Alpha': id: the product 2 is 'Mine', not 'Alpha'; nor are its bugs",
    ]);
  });
});

describe('hours worked', () => {
  it('are those of the histories, and of the description what is left', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const bug = required(bugzilla.content.catalogue.bugs.find(({ id }) => id === 2));
    const [first, second] = [required(bug.comments[0]), required(bug.comments[1])];
    [first.work_time, second.work_time] = [1.5, 2.25];
    const changes = [{ field_name: 'work_time', removed: '', added: '2.25' }];
    Object.assign(bug, { history: [{ when: second.creation_time, who: second.creator, changes }] });
    const table = await newTable();
    const result = await importInto(table, bugzilla.url, { products: ['Alpha'] });
    expect(result.notes.join()).not.toContain('time-tracking');
    const { bugs } = await exportedCatalogue(table);
    const { comments } = bugs.find(({ id }: { id: number }) => id === 2);
    expect(comments.slice(0, 3).map((one: { work_time?: number }) => one.work_time ?? 0)).toEqual([
      1.5, 2.25, 0,
    ]);
    await expectNoViolations(table);
  });

  it.each([
    ['named where bugs do not show them', {}, { notes: 'not in the time-tracking group', hidden: '' }],
    ['hidden where Bugzilla says so', { timetrackinggroup: 'timetrackers' }, { notes: '', hidden: 'hours' }],
  ])('are %s', async (_, parameters, expected) => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.parameters = parameters;
    const admin = required(
      bugzilla.content.catalogue.users.find(({ login }) => login === 'admin@example.com'),
    );
    admin.groups = [...admin.groups.filter((name) => name !== 'timetrackers'), 'tweakparams'];
    const run = (partial: boolean) =>
      newTable().then((table) => importInto(table, bugzilla.url, { products: ['Closed'], partial }));
    const { notes, hidden } = await run(true);
    expect([notes.join(), hidden.join()]).toEqual([
      expect.stringContaining(expected.notes),
      expect.stringContaining(expected.hidden),
    ]);
    if (expected.hidden !== '') await expect(run(false)).rejects.toThrow("needs the group 'timetrackers'");
  });
});

describe('an import', () => {
  it('refuses a second one into the same file, in words, while it runs', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const outcomes = await Promise.allSettled([1, 2].map(() => importInto(table, bugzilla.url)));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused).toEqual([expect.stringContaining('Another import writes')]);
    expect((await importInto(table, bugzilla.url)).unchangedBugs).toBe(5);
  });

  it('names what REST does not tell, and values that depend on others', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.content.dependentValues = [{ field: 'op_sys', value_field: 'rep_platform', value: 'Linux' }];
    const { catalogue } = bugzilla.content;
    catalogue.field_values.op_sys = ['All', 'Linux'];
    const result = await importInto(await newTable(), bugzilla.url, { products: ['Closed'] });
    expect(problemLines(result, 'parts of products and bugs not copied')).toEqual([
      'field op_sys: whether 1 of its values show depends on rep_platform in Bugzilla; here all of them do',
    ]);
    expect(result.notes.join()).toMatch(/default CC of components; values of obsolete custom fields/);
  });

  it('finds users whose ids are far beyond the others, also where lists are cut', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const { content } = bugzilla;
    const [user] = content.catalogue.users;
    for (let n = 0; n < 120; n += 1) {
      content.catalogue.users.push({
        ...required(user),
        login: `many${n}@example.com`,
        api_keys: [],
        groups: [],
      });
    }
    content.catalogue.users.push({ ...required(user), login: 'far@example.com', api_keys: [], groups: [] });
    content.userIds = { 'far@example.com': 500_000 };
    content.maxUserMatches = 100;
    const table = await newTable();
    await importInto(table, bugzilla.url, { products: ['Closed'] });
    expect((await accountRepository(table).read('far@example.com'))?.user.id).toBe(500_000);
  });

  it('reads bugs again, of which the key could not see all comments, when it can', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const admin = required(
      bugzilla.content.catalogue.users.find(({ login }) => login === 'admin@example.com'),
    );
    const { groups } = admin;
    admin.groups = groups.filter((name) => name !== 'insiders');
    await expect(importInto(table, bugzilla.url)).rejects.toThrow('may not see everything');
    admin.groups = groups;
    expect((await importInto(table, bugzilla.url)).hidden).toEqual([]);
  });
});
