import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/table/client.ts';
import { newTable } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';
import { times } from '../support/times.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const BUGS = 150;

const catalogueOf = () =>
  parseCatalogue({
    products: [aProduct()],
    bugs: times(BUGS, (n) =>
      aBug(n + 1, {
        aliases: n === 7 ? ['seven'] : [],
        depends_on: n > 0 ? [n] : [],
        comments: [aComment(`text ${n}`, { id: n + 1 })],
      }),
    ),
  });

it('many bugs are applied with one call to DynamoDB for each', async () => {
  const table = await newTable();
  const proxy = await useFaultProxy();
  const through = openTable(table.name, proxy.endpoint);
  expect((await applyCatalogue(through, catalogueOf())).bugs.added).toBe(BUGS);
  expect(proxy.calls.length).toBeLessThan(BUGS);
  await expectNoViolations(table);
  expect((await applyCatalogue(through, catalogueOf())).bugs.unchanged).toBe(BUGS);
});
