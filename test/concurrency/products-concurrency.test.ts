import { describe, expect, it } from 'vitest';
import { type GatewayReply, startBuglessWithConflicts, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { itemsButCounters, keyOf } from '../support/table-items.ts';
import { times } from '../support/times.ts';

const bugless = useStarted(startBuglessWithConflicts);

const create = (name: string) =>
  bugless.call('POST', '/rest/product', {
    key: keys.editor,
    body: { name, description: 'd', version: '1.0', default_milestone: 'M' },
  });

const update = (product: number | string, change: object) =>
  bugless.call('PUT', `/rest/product/${encodeURIComponent(product)}`, { key: keys.editor, body: change });

async function newProduct(name: string): Promise<number> {
  const { body } = await create(name);
  return body.id;
}

async function read(id: number) {
  const { body } = await bugless.call('GET', `/rest/product/${id}`);
  return body.products[0];
}

const answersOf = (replies: GatewayReply[]) => replies.map(({ status, body }) => [status, body.code]);

/** The single successful reply; asserts that all others say that the name is taken. */
function onlyWinner(replies: GatewayReply[], made: number): GatewayReply {
  const winners = replies.filter(({ status }) => status === made);
  const others = replies.filter(({ status }) => status !== made);
  expect(winners).toHaveLength(1);
  expect(answersOf(others)).toEqual(others.map(() => [400, 702]));
  return winners[0] as GatewayReply;
}

interface Change {
  added: string;
  removed: string;
}

/** The changes of one field of one product, in the responses that changed it. */
function changesOf(replies: GatewayReply[], field: string, id?: number): Change[] {
  return replies.flatMap(({ body }) =>
    body.products
      .filter((product: { id: number }) => id === undefined || product.id === id)
      .flatMap((product: { changes: Record<string, Change> }) => product.changes[field] ?? []),
  );
}

/** Orders changes from value to value; each value occurs once, so the order is unique. */
function follow(changes: Change[], first: string): string[] {
  const next = new Map(changes.map(({ removed, added }) => [removed, added]));
  const chain = [first];
  for (let value = next.get(first); value !== undefined; value = next.get(value)) chain.push(value);
  return chain;
}

describe('concurrent creations of one name', () => {
  it('succeed for exactly one of 5 clients, and leave one complete product', async () => {
    const before = await itemsButCounters(bugless.table);
    const spelled = (number: number) => (number % 2 === 0 ? 'Crowded' : 'cROWDED');
    const { body: made } = onlyWinner(await Promise.all(times(5, (n) => create(spelled(n)))), 201);

    const known = new Set(before.map(keyOf));
    const added = (await itemsButCounters(bugless.table)).map(keyOf).filter((key) => !known.has(key));
    expect(added).toEqual([
      `PRODUCT#${made.id} PRODUCT`,
      `PRODUCTINDEX PRODUCT#${String(made.id).padStart(10, '0')}`,
      'PRODUCTNAME#crowded PRODUCTNAME',
    ]);
    const { body } = await bugless.call('GET', '/rest/product?names=crowded');
    expect(body.products).toMatchObject([
      { id: made.id, versions: [{ name: '1.0' }], milestones: [{ name: 'M' }], default_milestone: 'M' },
    ]);
  });

  it('succeed for a new product or a renamed one', async () => {
    const id = await newProduct('To be renamed');
    const replies = await Promise.all([create('Wanted twice'), update(id, { name: 'wanted TWICE' })]);
    expect(answersOf(replies).filter(([status]) => status !== 400)).toHaveLength(1);
    expect(answersOf(replies)).toContainEqual([400, 702]);
    const { body } = await bugless.call('GET', '/rest/product?names=Wanted%20twice&names=To%20be%20renamed');
    const names = body.products.map(({ name }: { name: string }) => name);
    expect(names).toEqual(replies[0]?.status === 201 ? ['To be renamed', 'Wanted twice'] : ['wanted TWICE']);
  });

  it('succeed for exactly one of 5 renamed products', async () => {
    const ids = await Promise.all(times(5, (n) => newProduct(`Candidate ${n}`)));
    const replies = await Promise.all(ids.map((id) => update(id, { name: 'Elected' })));
    const [winner] = onlyWinner(replies, 200).body.products;
    const names = await Promise.all(ids.map(async (id) => (await read(id)).name));
    expect(names).toEqual(ids.map((id, n) => (id === winner.id ? 'Elected' : `Candidate ${n}`)));
    const { body } = await bugless.call('GET', '/rest/product/elected');
    expect(body.products).toMatchObject([{ id: winner.id }]);
  });
});

describe('concurrent updates of one product', () => {
  it('of 10 clients form one chain of changes from the first value to the last', async () => {
    const id = await newProduct('Often described');
    const replies = await Promise.all(times(10, (n) => update(id, { description: `description ${n}` })));
    expect(replies.map(({ status }) => status)).toEqual(times(10, () => 200));
    const chain = follow(changesOf(replies, 'description'), 'd');
    expect(chain).toHaveLength(11);
    expect(chain.at(-1)).toBe((await read(id)).description);
  });

  it('of the name leave the product under its last name only', async () => {
    const id = await newProduct('Name 0');
    const replies = await Promise.all(times(10, (n) => update(id, { name: `Name ${n + 1}` })));
    const chain = follow(changesOf(replies, 'name'), 'Name 0');
    expect(chain).toHaveLength(11);
    const query = chain.map((name) => `names=${encodeURIComponent(name)}`).join('&');
    const { body } = await bugless.call('GET', `/rest/product?${query}&include_fields=id,name`);
    expect(body.products).toEqual([{ id, name: chain.at(-1) }]);
    const pointers = (await itemsButCounters(bugless.table)).filter((item) => item['product_id'] === id);
    expect(pointers.map(({ name }) => name)).toEqual([chain.at(-1)]);
  });
});

it('an update of several products changes all or none of them during concurrent updates of each', async () => {
  const ids = await Promise.all(times(4, (n) => newProduct(`Several ${n}`)));
  const together = times(4, (n) => update(ids[0] ?? 0, { ids, description: `together ${n}` }));
  const alone = ids.flatMap((id) => times(2, (n) => update(id, { description: `alone ${id}-${n}` })));
  const replies = await Promise.all([...together, ...alone]);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const orders = await Promise.all(
    ids.map(async (id) => {
      const chain = follow(changesOf(replies, 'description', id), 'd');
      expect(chain).toHaveLength(7);
      expect(chain.at(-1)).toBe((await read(id)).description);
      return chain.filter((value) => value.startsWith('together'));
    }),
  );
  // Updates of all products are serialized in the same order in every product.
  expect(orders).toEqual(orders.map(() => orders[0]));
});
