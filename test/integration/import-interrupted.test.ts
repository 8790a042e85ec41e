import { describe, expect, it } from 'vitest';
import type { Table } from '../../lib/table/client.ts';
import type { Item } from '../../lib/table/read.ts';
import { newTable } from '../support/bugless.ts';
import { importInto, shortCatalogue } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { interruptedTable } from '../support/interrupted-table.ts';
import { isLong } from '../support/sample.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { itemsButCounters } from '../support/table-items.ts';

const options = { products: ['Secret', 'Closed'] };

/** A run with `RUNS` ends runs after each request, and before more of the writes. */
const STEP = isLong ? 1 : 4;

describe('an interrupted import', () => {
  it('resumes after any request', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const expected = await newTable();
    await importInto(expected, bugzilla.url, options);
    const needed = bugzilla.requests.length;
    const table = await newTable();
    let sent = 0;
    for (let until = 3; ; until += STEP) {
      let count = 0;
      bugzilla.decide = () => {
        count += 1;
        return count > until ? 'cut' : 'answer';
      };
      const run = importInto(table, bugzilla.url, options, { maxAttempts: 1 });
      const error = await run.then(
        () => undefined,
        (reason: Error) => reason,
      );
      sent += count;
      if (error === undefined) break;
      expect(error.message).toContain('does not answer');
    }
    expect(sent).toBeGreaterThan(needed);
    expect(await contentOf(table)).toEqual(await contentOf(expected));
    await expectNoViolations(table);
  });

  it('resumes between any two writes', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const expected = await newTable();
    await importInto(expected, bugzilla.url, options);
    const table = await newTable();
    let writes = 0;
    let until = 0;
    const failing = interruptedTable(table, (command) => {
      if (/Put|Write|Update/.test(command)) writes += 1;
      return writes > until;
    });
    for (until = 5; ; until += isLong ? 3 : 7) {
      writes = 0;
      const error = await importInto(failing, bugzilla.url, options).then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (error === undefined) break;
      expect(error.message).toBe('interrupted');
    }
    expect(await contentOf(table)).toEqual(await contentOf(expected));
  });
});

/** Items without what depends on the number of attempts; ids have gaps after an interruption. */
const contentOf = async (table: Table): Promise<Item[]> =>
  (await itemsButCounters(table))
    .filter(({ sk }) => sk !== 'GROUPID')
    .map(({ revision: _, id, import: __, ...item }) => (item.sk === 'GROUP' ? item : { ...item, id }));
