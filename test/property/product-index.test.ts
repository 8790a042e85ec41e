import fc from 'fast-check';
import { expect, it } from 'vitest';
import { productDocumentRepository } from '../../lib/products/document-repository.ts';
import { productRepository } from '../../lib/products/repository.ts';
import type { ProductItem } from '../../lib/products/schema.ts';
import { openTable } from '../../lib/table/client.ts';
import { newTable } from '../support/bugless.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const EDITOR = { id: 1, login: 'editor@example.com', real_name: '' };
/** Every version counts as settled, so that the reader caches as much as possible. */
const later = () => new Date(Date.now() + 60_000);

const step = fc.record({
  kind: fc.constantFrom('create', 'rename', 'close', 'describe', 'read'),
  target: fc.nat(),
});

it('a process with a cached product index lists every change of another process immediately', async () => {
  const runs = Number(process.env['RUNS'] ?? 5);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const table = await newTable();
      let calls = 0;
      const proxy = await useFaultProxy({
        // Neither short pages nor lost responses may leave an outdated cache.
        decide: ({ operation }) => {
          calls += 1;
          if (operation === 'Query' && calls % 3 === 0) return 'short page';
          return operation === 'GetItem' && calls % 7 === 0 ? 'close after' : 'pass';
        },
      });
      const stored = productRepository(table);
      const writer = productDocumentRepository(table);
      const reader = productRepository(openTable(table.name, proxy.endpoint), later);
      const products: ProductItem[] = [];
      let names = 0;
      const change = async (target: number, change: (product: ProductItem) => Partial<ProductItem>) => {
        const index = target % Math.max(1, products.length);
        const before = products[index];
        if (before === undefined) return;
        const after = { ...before, ...change(before) };
        expect(await writer.update(EDITOR, [{ before, after }])).toBeUndefined();
        products[index] = { ...after, revision: before.revision + 1 };
      };
      for (const { kind, target } of steps) {
        names += 1;
        const name = `Product ${names}`;
        if (kind === 'create') {
          const fields = { name, description: 'd', classification: 'Unclassified', is_active: true };
          const given = { ...fields, has_unconfirmed: true, default_milestone: 'M', version: '1' };
          const id = await writer.create(EDITOR, given, () => undefined, stored.holderOf);
          const created = await stored.byId(id);
          if (created !== undefined) products.push(created);
        }
        if (kind === 'rename') await change(target, () => ({ name }));
        if (kind === 'close') await change(target, ({ is_active }) => ({ is_active: !is_active }));
        if (kind === 'describe') await change(target, () => ({ description: name }));
        const listed: unknown[] = [];
        for await (const page of reader.index()) listed.push(...page.map(({ id, name }) => [id, name]));
        expect(listed).toEqual(
          products.map(({ id, name }) => [id, name]).sort(([a], [b]) => Number(a) - Number(b)),
        );
      }
    }),
    { numRuns: runs },
  );
});

it('an unchanged product index takes one read', async () => {
  const table = await newTable();
  const proxy = await useFaultProxy();
  const writer = productDocumentRepository(table);
  const given = { name: 'P', description: 'd', classification: 'Unclassified', is_active: true };
  await writer.create(
    EDITOR,
    { ...given, has_unconfirmed: true, default_milestone: 'M', version: '1' },
    () => undefined,
    productRepository(table).holderOf,
  );
  const reader = productRepository(openTable(table.name, proxy.endpoint), later);
  const list = async () => {
    const before = proxy.calls.length;
    const ids: number[] = [];
    for await (const page of reader.index()) ids.push(...page.map(({ id }) => id));
    return { ids, operations: proxy.calls.slice(before).map(({ operation }) => operation) };
  };
  expect(await list()).toEqual({ ids: [1], operations: ['GetItem', 'Query', 'GetItem'] });
  expect(await list()).toEqual({ ids: [1], operations: ['GetItem'] });
});
