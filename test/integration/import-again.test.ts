import { describe, expect, it } from 'vitest';
import { COLLISIONS } from '../../infra/import/problems.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
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
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { itemsButCounters } from '../support/table-items.ts';

describe('a repeated import', () => {
  it('changes nothing and requests no unchanged bug', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const options = { products: ['Alpha', 'Secret'], bugsPerPage: 100 };
    const first = await importInto(table, bugzilla.url, options);
    const before = await itemsButCounters(table);
    bugzilla.requests.length = 0;
    const second = await importInto(table, bugzilla.url, options);
    expect(await itemsButCounters(table)).toEqual(before);
    expect(second.unchangedBugs).toBe(4);
    expect(second.summary.products).toEqual({ added: 0, changed: 0, unchanged: 2 });
    expect(bugzilla.requests.filter(({ target }) => target.includes('/comment'))).toEqual([]);
    expect(second.problems).toEqual(first.problems);
    const everything = await importInto(table, bugzilla.url, { ...options, everything: true });
    expect(everything.summary.bugs).toEqual({ added: 0, changed: 0, unchanged: 4 });
    expect(await itemsButCounters(table)).toEqual(before);
  });

  it('takes the changes of one second for the same in whatever order Bugzilla returns them', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue(3));
    const table = await newTable();
    const options = { products: ['Alpha'] };
    const bug = required(bugzilla.content.catalogue.bugs.find(({ id }) => id === 2));
    const changes = ['priority', 'severity', 'status'].map((field_name) => ({
      ...{ field_name, removed: 'a', added: 'b' },
    }));
    const write = (changes: object[]) =>
      Object.assign(bug, { history: [{ when: '2024-02-01T00:00:00Z', who: 'user@example.com', changes }] });
    write(changes);
    await importInto(table, bugzilla.url, options);
    const before = await itemsButCounters(table);
    write(changes.toReversed());
    await importInto(table, bugzilla.url, { ...options, everything: true });
    const isHistory = ({ sk }: { sk: unknown }) => String(sk).startsWith('HISTORY#');
    expect((await itemsButCounters(table)).filter(isHistory)).toEqual(before.filter(isHistory));
    expect(before.filter(isHistory).length).toBeGreaterThan(0);
  });

  it('copies changes: new comments, tags, privacy, fields of bugs and products', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const options = { products: ['Alpha', 'Closed'] };
    const table = await importedTable(bugzilla, options);
    const { catalogue, changed } = bugzilla.content;
    const bug = catalogue.bugs.find(({ id }) => id === 2);
    const alpha = catalogue.products.find(({ id }) => id === 2);
    if (bug === undefined || alpha === undefined) throw new Error('The reference has no bug 2');
    const [first, second] = bug.comments;
    if (first === undefined || second === undefined) throw new Error('Bug 2 has no comments');
    bug.summary = 'Second bug, better described';
    bug.component = 'Brand new';
    second.is_private = true;
    second.tags = ['late'];
    bug.comments.push({ ...first, id: 900, text: 'And more', creation_time: '2026-01-01T00:00:00Z' });
    alpha.components.push({ ...required(alpha.components[0]), id: 900, name: 'Brand new' });
    changed.set(2, '2026-01-02T00:00:00Z');
    bugzilla.requests.length = 0;
    const result = await importInto(table, bugzilla.url, options);
    expect(result.summary).toMatchObject({
      products: { changed: 1, unchanged: 1 },
      bugs: { added: 0, changed: 1 },
      comments: { added: 1, changed: 1 },
    });
    expect(bugzilla.requests.filter(({ target }) => target.includes('/comment')).length).toBe(1);
    await addUsers(table);
    const bugless = await (await serve(table)).listen();
    const { body } = await bugless.call('GET', '/rest/bug/2/comment', { key: keys.admin });
    expect(body.bugs['2'].comments).toMatchObject([
      { id: 2 },
      { is_private: true, tags: ['late'] },
      {},
      { id: 900, count: 3, text: 'And more' },
    ]);
    const { body: open } = await bugless.call('GET', '/rest/bug/2/comment');
    expect(open.bugs['2'].comments.map(({ count }: { count: number }) => count)).not.toContain(1);
    await expectNoViolations(table);
  });

  it.each([
    ['fewer comments of a bug', 'fewer comments: 2'],
    ['fewer bugs', 'not shown: 2'],
  ])('stops when Bugzilla shows %s, until it shows them again', async (what, message) => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue(3));
    const table = await importedTable(bugzilla);
    const before = await itemsButCounters(table);
    const { content } = bugzilla;
    const complete = content.catalogue;
    const less = structuredClone(complete);
    const place = less.bugs.findIndex(({ id }) => id === 2);
    if (what === 'fewer bugs') less.bugs.splice(place, 1);
    else required(less.bugs[place]).comments.splice(1, 1);
    content.catalogue = less;
    content.changed.set(2, '2026-02-01T00:00:00Z');
    for (const again of ['once', 'twice']) {
      await expect(importInto(table, bugzilla.url), again).rejects.toThrow(message);
    }
    expect(await itemsButCounters(table)).toEqual(before);
    content.catalogue = complete;
    expect((await importInto(table, bugzilla.url)).summary.bugs.added).toBe(0);
  });

  it('renames parts of products, which keep their ids', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue(3));
    const table = await importedTable(bugzilla, { products: ['Alpha'] });
    const { products, bugs } = bugzilla.content.catalogue;
    const { components } = required(products.find(({ name }) => name === 'Alpha'));
    const [first, second] = [required(components[0]), required(components[1])];
    const before = [first.name, second.name];
    [first.name, second.name] = [second.name, 'Renamed'];
    for (const bug of bugs) bug.component = bug.component === before[0] ? first.name : bug.component;
    const result = await importInto(table, bugzilla.url, { products: ['Alpha'] });
    expect(problemLines(result, 'products not copied')).toEqual([]);
    const stored = await productRepository(table).withParts(2);
    expect(stored?.components.find(({ id }) => id === first.id)?.name).toBe(before[1]);
    expect(stored?.components.find(({ id }) => id === second.id)?.name).toBe('Renamed');
    expect(stored?.components).toHaveLength(components.length);
    await expectNoViolations(table);
  });

  it('renames versions and milestones in bugs, too, whose last_change_time a rename leaves as it is', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue(3));
    const options = { products: ['Alpha'] };
    const table = await importedTable(bugzilla, options);
    const { bugs, products } = bugzilla.content.catalogue;
    const alpha = required(products.find(({ name }) => name === 'Alpha'));
    const { id } = required(bugs.find(({ product }) => product === 'Alpha'));
    const before = required(await bugRepository(table, () => new Date()).byId(id));
    required(alpha.versions.find(({ name }) => name === before.version)).name = 'Renamed version';
    required(alpha.milestones.find(({ name }) => name === before.target_milestone)).name =
      'Renamed milestone';
    alpha.default_milestone = required(alpha.milestones[0]).name;
    expect(problemLines(await importInto(table, bugzilla.url, options), 'products not copied')).toEqual([]);
    expect(await bugRepository(table, () => new Date()).byId(id)).toMatchObject({
      version: 'Renamed version',
      target_milestone: 'Renamed milestone',
    });
    await expectNoViolations(table);
    expect((await importInto(table, bugzilla.url, options)).summary.products.changed).toBe(0);
  });

  it('keeps group controls that a catalogue has set', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const table = await newTable();
    const options = { products: ['Secret'] };
    const first = await importInto(table, bugzilla.url, options);
    expect(problemLines(first, 'products with inferred access')).toHaveLength(2);
    const secret = required(referenceCatalogue().products.find(({ name }) => name === 'Secret'));
    await applyCatalogue(table, parseCatalogue({ groups: referenceCatalogue().groups, products: [secret] }));
    const second = await importInto(table, bugzilla.url, options);
    expect(problemLines(second, 'products with inferred access')).toEqual([]);
    expect(await productRepository(table).withParts(3)).toMatchObject({
      product: { group_controls: secret.group_controls },
    });
  });

  it('copies changes without a new last_change_time only with `everything`', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const options = { products: ['Closed'] };
    const table = await importedTable(bugzilla, options);
    const bug = required(bugzilla.content.catalogue.bugs.find(({ id }) => id === 5));
    required(bug.comments[0]).tags = ['tagged-since'];
    expect((await importInto(table, bugzilla.url, options)).unchangedBugs).toBe(1);
    const { summary } = await importInto(table, bugzilla.url, { ...options, everything: true });
    expect(summary.comments.changed).toBe(1);
    const { body } = await (await (await serve(table)).listen()).call(
      'GET',
      '/rest/bug/5/comment?include_fields=tags',
    );
    expect(body.bugs['5'].comments[0].tags).toEqual(['tagged-since']);
  });

  it('keeps values of fields that Bugzilla does not have', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const options = { products: ['Closed'], everything: true, into: true };
    const table = await importedTable(bugzilla, options);
    await addUsers(table);
    const bugless = await (await serve(table)).listen();
    const kept = {
      ...{ whiteboard: 'notes', url: 'https://example.com/', deadline: '2026-01-31' },
      ...{ qa_contact: 'editor@example.com', see_also: ['https://bugzilla.example.com/show_bug.cgi?id=1'] },
    };
    const body = { ...kept, see_also: { add: kept.see_also } };
    expect((await bugless.call('PUT', '/rest/bug/5', { key: keys.admin, body })).status).toBe(200);
    const { catalogue, changed } = bugzilla.content;
    const bug = required(catalogue.bugs.find(({ id }) => id === 5));
    for (const field of Object.keys(kept)) Reflect.deleteProperty(bug, field);
    const product = required(catalogue.products.find(({ name }) => name === 'Closed'));
    for (const field of ['description', 'is_active']) Reflect.deleteProperty(product, field);
    changed.set(5, '2030-01-01T00:00:00Z');
    const { summary } = await importInto(table, bugzilla.url, options);
    expect(summary.products).toEqual({ added: 0, changed: 0, unchanged: 1 });
    expect(await bugRepository(table, () => new Date()).byId(5)).toMatchObject({
      ...kept,
      last_change_time: '2030-01-01T00:00:00Z',
    });
  });

  it('reports a bug that was commented on in both, and does not change it', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const options = { products: ['Closed'], into: true };
    const table = await importedTable(bugzilla, options);
    await addUsers(table);
    const bugless = await (await serve(table)).listen();
    const call = { key: keys.admin, body: { comment: 'Here' } };
    expect((await bugless.call('POST', '/rest/bug/5/comment', call)).status).toBe(201);
    const { catalogue, changed } = bugzilla.content;
    const { comments } = required(catalogue.bugs.find(({ id }) => id === 5));
    comments.push({
      ...required(comments[1]),
      id: 901,
      text: 'There',
      creation_time: '2030-01-01T00:00:00Z',
    });
    changed.set(5, '2030-01-01T00:00:00Z');
    const result = await importInto(table, bugzilla.url, options);
    expect(problemLines(result, COLLISIONS)).toEqual(['bug 5: comments[2]: bug 5 has another comment 2']);
    const { body } = await bugless.call('GET', '/rest/bug/5/comment?include_fields=text', {
      key: keys.admin,
    });
    expect(body.bugs['5'].comments.at(-1)).toEqual({ text: 'Here' });
  });
});
