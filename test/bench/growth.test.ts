import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { inNewFolder } from '../support/start-process.ts';
import { growth } from './growth.ts';

test('the growth benchmark measures every operation and writes a table and a plot', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await inNewFolder(async (folder) => {
    await growth(1_000, folder, { warmup: 0, timed: 1 });
    const table = await readFile(join(folder, 'growth.md'), 'utf8');
    expect(table).toMatch(/^\| 1,0\d\d \| \d+ \| \d+ \| \d+ \| \d+ \| \d+ \|$/m);
    expect(table).toMatch(/^\| product by id \| 2 \(1\) \|$/m);
    expect(table).toMatch(/^\| product by id \| 2 \+ 0 \|$/m);
    expect(table).toMatch(/^\| ids of all products \| 1,000 \| \d+ \|/m);
    const plot = await readFile(join(folder, 'growth.svg'), 'utf8');
    for (const operation of ['product by id', 'create comment', 'ids of all products']) {
      expect(plot).toContain(`>${operation}</text>`);
    }
  });
}, 60_000);
