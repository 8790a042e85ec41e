import { expect, it } from 'vitest';
import { COLLISIONS } from '../../infra/import/problems.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/table/client.ts';
import { newTable, referenceCatalogue } from '../support/bugless.ts';
import { completeCatalogue } from '../support/complete-catalogue.ts';
import { importInto, problemLines } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
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

it('many bugs are imported with one call to DynamoDB for each, also when one of them is refused', async () => {
  const { products, bugs } = catalogueOf();
  const [here, ...there] = bugs;
  const bugzilla = await startSimulatedBugzilla(
    completeCatalogue({
      ...referenceCatalogue(),
      products,
      bugs: there.map((bug) => ({ ...bug, depends_on: [] })),
    }),
  );
  const table = await newTable(
    parseNumbered({
      products: [aProduct()],
      bugs: [{ ...here, aliases: ['seven'] }],
    }),
  );
  const proxy = await useFaultProxy();
  const result = await importInto(openTable(table.name, proxy.endpoint), bugzilla.url, {
    bugsPerPage: 100,
    into: true,
  });
  expect(result.summary.bugs.added).toBe(there.length - 1);
  expect(problemLines(result, COLLISIONS)).toEqual([expect.stringContaining('bug 8: ')]);
  expect(proxy.calls.length).toBeLessThan(BUGS);
  await expectNoViolations(table);
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
