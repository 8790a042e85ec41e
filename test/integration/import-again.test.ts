import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../infra/admin/apply.ts';
import { parseCatalogue } from '../../infra/admin/catalogue.ts';
import type { Table } from '../../lib/db/client.ts';
import type { Item } from '../../lib/db/reading.ts';
import { productStore } from '../../lib/products/store.ts';
import { newTable, referenceCatalogue, serve } from '../support/bugless.ts';
import { addUsers, found, importInto, must } from '../support/importing.ts';
import { keys } from '../support/keys.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { itemsButCounters } from '../support/table-items.ts';
import { expectWholeComments } from '../support/wholeness.ts';

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
    await expectWholeComments(table);
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
    expect(await productStore(table).withParts(3, NO_PARTS)).toMatchObject({
      product: { group_controls: secret.group_controls },
    });
  });

  it('takes up a run that was interrupted after any request', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const whole = await newTable();
    await importInto(whole, bugzilla.url);
    const needed = bugzilla.asked.length;
    const table = await newTable();
    let asked = 0;
    for (let until = 3; ; until += 4) {
      let count = 0;
      bugzilla.decide = () => {
        count += 1;
        return count > until ? 'cut' : 'answer';
      };
      const run = importInto(table, bugzilla.url, {}, { attempts: 1 });
      const error = await run.then(
        () => undefined,
        (reason: Error) => reason,
      );
      asked += count;
      if (error === undefined) break;
      expect(error.message).toContain('cannot be reached');
    }
    expect(asked).toBeGreaterThan(needed);
    const content = async (of: Table) => (await itemsButCounters(of)).map(lasting);
    expect(await content(table)).toEqual(await content(whole));
    await expectWholeComments(table);
  });

  it('takes up a run that was interrupted between any two writes', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const whole = await newTable();
    await importInto(whole, bugzilla.url);
    const table = await newTable();
    let writes = 0;
    let until = 0;
    const failing: Table = {
      ...table,
      client: new Proxy(table.client, {
        get: (client, name) =>
          name !== 'send'
            ? Reflect.get(client, name)
            : (command: { constructor: { name: string } }) => {
                if (/Put|Write|Update/.test(command.constructor.name)) writes += 1;
                if (writes > until) throw new Error('interrupted');
                return Reflect.apply(client.send, client, [command]);
              },
      }),
    };
    for (until = 5; ; until += 13) {
      writes = 0;
      const error = await importInto(failing, bugzilla.url).then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (error === undefined) break;
      expect(error.message).toBe('interrupted');
    }
    const content = async (of: Table) => (await itemsButCounters(of)).map(lasting);
    expect(await content(table)).toEqual(await content(whole));
  });
});

const NO_PARTS = { components: false, milestones: false, versions: false };

/** Without what counts attempts. */
const lasting = ({ revision: _, id, ...item }: Item): Item =>
  item['sk'] === 'GROUP' ? item : { ...item, id };
