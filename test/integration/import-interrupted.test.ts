import { describe, expect, it } from 'vitest';
import type { Table } from '../../lib/dynamodb/client.ts';
import type { Item } from '../../lib/dynamodb/read.ts';
import { newTable, referenceCatalogue } from '../support/bugless.ts';
import { importInto } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';
import { itemsButCounters } from '../support/table-items.ts';

describe('an interrupted import', () => {
  it('is taken up after any request', async () => {
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
    // Ids have gaps after an interruption.
    const content = async (of: Table) =>
      (await itemsButCounters(of)).filter(({ sk }) => sk !== 'GROUPID').map(lasting);
    expect(await content(table)).toEqual(await content(whole));
    await expectNoViolations(table);
  });

  it('is taken up between any two writes', async () => {
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
    // Ids have gaps after an interruption.
    const content = async (of: Table) =>
      (await itemsButCounters(of)).filter(({ sk }) => sk !== 'GROUPID').map(lasting);
    expect(await content(table)).toEqual(await content(whole));
  });
});

/** Without what counts attempts. */
const lasting = ({ revision: _, id, ...item }: Item): Item =>
  item['sk'] === 'GROUP' ? item : { ...item, id };
