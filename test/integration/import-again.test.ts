import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { addUsers, found, importInto, must } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { itemsButCounters } from '../support/table-items.ts';

describe('importing again', () => {
  it('changes nothing and asks for no bug that is there', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable();
    const first = await importInto(table, bugzilla.url, { bugsAtOnce: 100 });
    const before = await itemsButCounters(table);
    bugzilla.asked.length = 0;
    const second = await importInto(table, bugzilla.url, { bugsAtOnce: 100 });
    expect(await itemsButCounters(table)).toEqual(before);
    expect(second.unchangedBugs).toBe(9);
    expect(second.summary.products).toEqual({ added: 0, changed: 0, unchanged: 13 });
    expect(bugzilla.asked.filter(({ target }) => target.includes('/comment'))).toEqual([]);
    expect(second.findings).toEqual(first.findings);
    const everything = await importInto(table, bugzilla.url, { everything: true });
    expect(everything.summary.bugs).toEqual({ added: 0, changed: 0, unchanged: 9 });
    expect(await itemsButCounters(table)).toEqual(before);
  });

  it('brings what is new: comments, tags, what became private, what changed of bug and product', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable();
    await importInto(table, bugzilla.url);
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
    alpha.components.push({ ...must(alpha.components[0]), id: 900, name: 'Brand new' });
    changed.set(2, '2026-01-02T00:00:00Z');
    bugzilla.asked.length = 0;
    const result = await importInto(table, bugzilla.url);
    expect(result.summary).toMatchObject({
      products: { changed: 1, unchanged: 12 },
      bugs: { added: 0, changed: 1 },
      comments: { added: 1, changed: 1 },
    });
    expect(bugzilla.asked.filter(({ target }) => target.includes('/comment')).length).toBe(1);
    await addUsers(table);
    const bugless = await serve(table);
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

  it('keeps group controls that the operator gave', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable();
    const options = { products: ['Secret'] };
    const first = await importInto(table, bugzilla.url, options);
    expect(found(first, 'products whose access is guessed')).toHaveLength(1);
    const secret = must(referenceCatalogue().products.find(({ name }) => name === 'Secret'));
    await applyCatalogue(table, parseCatalogue({ groups: referenceCatalogue().groups, products: [secret] }));
    const second = await importInto(table, bugzilla.url, options);
    expect(found(second, 'products whose access is guessed')).toEqual([]);
    expect(await productRepository(table).withParts(3)).toMatchObject({
      product: { group_controls: secret.group_controls },
    });
  });

  it('looks at what changed without a new time only when told to', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable();
    const options = { products: ['Closed'] };
    await importInto(table, bugzilla.url, options);
    const bug = must(bugzilla.content.catalogue.bugs.find(({ id }) => id === 5));
    must(bug.comments[0]).tags = ['tagged-since'];
    expect((await importInto(table, bugzilla.url, options)).unchangedBugs).toBe(1);
    const { summary } = await importInto(table, bugzilla.url, { ...options, everything: true });
    expect(summary.comments.changed).toBe(1);
    const { body } = await (await serve(table)).call('GET', '/rest/bug/5/comment?include_fields=tags');
    expect(body.bugs['5'].comments[0].tags).toEqual(['tagged-since']);
  });

  it('names a bug that was commented on here and there, and leaves it alone', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const table = await newTable();
    const options = { products: ['Closed'] };
    await importInto(table, bugzilla.url, options);
    await addUsers(table);
    const bugless = await serve(table);
    const said = { key: keys.admin, body: { comment: 'Here' } };
    expect((await bugless.call('POST', '/rest/bug/5/comment', said)).status).toBe(201);
    const { catalogue, changed } = bugzilla.content;
    const { comments } = must(catalogue.bugs.find(({ id }) => id === 5));
    comments.push({ ...must(comments[1]), id: 901, text: 'There', creation_time: '2030-01-01T00:00:00Z' });
    changed.set(5, '2030-01-01T00:00:00Z');
    const result = await importInto(table, bugzilla.url, options);
    expect(found(result, 'bugs not copied')).toEqual(['bug 5: comments[2]: bug 5 has another comment 2']);
    const { body } = await bugless.call('GET', '/rest/bug/5/comment?include_fields=text', {
      key: keys.admin,
    });
    expect(body.bugs['5'].comments.at(-1)).toEqual({ text: 'Here' });
  });
});
