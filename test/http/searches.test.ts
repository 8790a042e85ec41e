import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, startBuglessWithPermissions } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');

let bugless: Bugless;
beforeAll(async () => {
  bugless = await startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS);
});

/** The ids of the bugs that a search finds, or the status and code of its error. */
async function found(parameters: Record<string, string>, as = 'user'): Promise<number[]> {
  const query = new URLSearchParams({ ...parameters, include_fields: 'id' });
  const { status, body } = await bugless.call('GET', `/rest/bug?${query}`, { key: keys.get(as) });
  return status === 200 ? body.bugs.map(({ id }: { id: number }) => id) : [status, body.code];
}

describe('quicksearch', () => {
  it.each<[string, number[]]>([
    ['needinfo?plain', [41, 45, 46]],
    ['flag:needinfo?plain', [41, 45, 46]],
    ['blocker?user', []],
    ['approval?insider', [41]],
    ['(needinfo?plain)', []],
    ['text:free', [51, 52]],
    ['whiteboard:what?', []],
    ['ALL (crash)', [8, 13, 20, 22, 23]],
    ['ALL (crash OR nothing)', [8, 13, 20, 22, 23]],
    ['', [400, 1000]],
    [' ', [400, 1000]],
    ['b:x', [400, 32000]],
  ])('%j', async (quicksearch, expected) => {
    expect(await found({ quicksearch })).toEqual(expected);
  });
});
