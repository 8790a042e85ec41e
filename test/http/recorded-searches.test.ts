import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { completeIndex } from '../support/complete-index.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { isLong } from '../support/sample.ts';

/** A full-text search of a Bugzilla 5.2. */
interface RecordedSearch {
  path: string;
  as: string;
  status: number;
  /** of the bugs, in ascending order */
  ids?: number[];
  code?: number;
}

const { catalogue, keys } = openRecording('bugs');
const searches = readFileSync(join(import.meta.dirname, '../reference/searches.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): RecordedSearch => JSON.parse(line));
/** Where MySQL refuses an expression, Bugzilla answers with status 200 and this code: here it is 400. */
const DATABASE_ERROR = 100_500;

/** `npm test` makes each search once, a run with `RUNS` all of them in both. */
describe.each([
  ['in the change log', 0],
  ['in segments', 1],
])('recorded searches of bugs %s', (where, half) => {
  const repeated = searches.filter((_, index) => isLong || index % 2 === half);
  const bugless = useStarted(async () => {
    const started = await startBugless(catalogue(), RECORDED_SETTINGS);
    if (where === 'in segments') await completeIndex(started.table);
    return started;
  });

  it.each([...new Set(searches.map(({ as }) => as))])('find the same for %s', async (caller) => {
    for (const { path, status, ids, code } of repeated.filter(({ as }) => as === caller)) {
      const reply = await bugless.call('GET', path, caller === 'anonymous' ? {} : { key: keys.get(caller) });
      const found = reply.body.bugs
        ?.map(({ id }: { id: number }) => id)
        .toSorted((a: number, b: number) => a - b);
      const expected =
        code === DATABASE_ERROR
          ? { status: 400, code: 32000 }
          : { status, ...(ids && { ids }), ...(code && { code }) };
      const { code: answered } = reply.body;
      expect({ path, status: reply.status, ids: found, code: answered }).toEqual({ path, ...expected });
    }
  });
});

describe('a full-text expression', () => {
  const bugless = useStarted(() => startBugless({ ...catalogue(), bugs: [] }, RECORDED_SETTINGS));

  it.each([
    ['of thousands of parentheses', '('.repeat(4_000), 400],
    ['of thousands of closed parentheses', `${'('.repeat(2_000)}crash${')'.repeat(2_000)}`, 400],
    ['of thousands of signs', '+-'.repeat(2_000), 400],
    ['of thousands of words', 'w1x '.repeat(1_500), 200],
    ['of thousands of different words', Array.from({ length: 300 }, (_, n) => `w${n}x`).join(' '), 400],
    ['of characters of patterns', '[.*+?^$]{}|\\ a*', 200],
    ['of quotes', '"'.repeat(1_001), 400],
    ['of emoji', '😀* +😀😀😀', 200],
  ])('%s is answered', async (_, text, status) => {
    const { status: answered } = await bugless.call('GET', `/rest/bug?content=${encodeURIComponent(text)}`);
    expect(answered).toBe(status);
  });
});
