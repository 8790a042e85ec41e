import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(() => startBugless());

describe('a part of the history of a bug', () => {
  it('ends with a whole second, before which the next one begins', async () => {
    const { body: created } = await bugless.call('POST', '/rest/bug', { key: keys.admin, body: NEW_BUG });
    const bug = created.id;
    for (let number = 1; number <= 12; number += 1) {
      const body = { whiteboard: `[${number}]` };
      await bugless.call('PUT', `/rest/bug/${bug}`, { key: keys.admin, body });
    }
    type Entry = { when: string; changes: { added: string }[] };
    const read = async (query: string): Promise<Entry[]> =>
      (await bugless.call('GET', `/rest/bug/${bug}/history?${query}`, { key: keys.plain })).body.bugs[0]
        .history;
    const all = await read('');
    expect(all).toHaveLength(12);
    expect(await read('order=newest')).toEqual(all.toReversed());
    const parts: Entry[] = [];
    for (let before = ''; ; ) {
      const part = await read(`limit=2&order=newest${before}`);
      if (part.length === 0) break;
      expect(part.length).toBeGreaterThanOrEqual(Math.min(2, 12 - parts.length));
      parts.push(...part);
      before = `&before=${part.at(-1)?.when}`;
    }
    expect(parts).toEqual(all.toReversed());
    expect((await read('limit=1'))[0]).toEqual(all[0]);
    expect(await read(`before=${all[0]?.when}`)).toEqual([]);
    expect(await read(`before=${all[0]?.when}&new_since=2100-01-01`)).toEqual([]);
  });

  it('is refused for an unknown time', async () => {
    const { status, body } = await bugless.call('GET', '/rest/bug/1/history?before=soon', {
      key: keys.plain,
    });
    expect([status, body.code]).toEqual([400, 56]);
  });
});
