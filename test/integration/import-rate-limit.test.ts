import { describe, expect, it } from 'vitest';
import { newTable, referenceCatalogue } from '../support/bugless.ts';
import { found, HASTY, importInto, must } from '../support/importing.ts';
import { keys } from '../support/keys.ts';
import { type Fate, startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';

describe('the manners of an import', () => {
  it('keeps to its rate, and to a few requests at once', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    bugzilla.slowness = 120;
    await importInto(await newTable(), bugzilla.url, { products: ['Alpha'] }, { requestsPerSecond: 20 });
    const times = bugzilla.asked.map(({ at }) => at);
    for (const [place, at] of times.entries()) {
      const before = times[place - 4];
      // What was sent 50 milliseconds apart may arrive closer on a busy machine.
      if (before !== undefined) expect(at - before).toBeGreaterThan(4 * 50 - 100);
    }
    const most = Math.max(...bugzilla.asked.map(({ atOnce }) => atOnce));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('waits as long as it is told to', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    let refusedAt = 0;
    bugzilla.decide = ({ target, at }) => {
      if (refusedAt > 0 || !target.includes('/comment')) return 'answer';
      refusedAt = at;
      return { status: 429, headers: { 'retry-after': '1' } };
    };
    const result = await importInto(await newTable(), bugzilla.url, { products: ['Alpha'] }, { atOnce: 1 });
    expect(result.summary.bugs.added).toBe(6);
    const later = bugzilla.asked.filter(({ at }) => at > refusedAt);
    expect(must(later[0]).at - refusedAt).toBeGreaterThan(950);
  });

  it.each<[string, Fate]>([
    ['429 without a time', { status: 429 }],
    ['502 of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    [
      '503 until a date in the past',
      { status: 503, headers: { 'retry-after': 'Mon, 01 Jan 2024 00:00:00 GMT' } },
    ],
    [
      'an error of Bugzilla',
      { status: 500, body: '{"error":true,"code":100500,"message":"Deadlock found"}' },
    ],
    ['connections that end', 'cut'],
    ['answers that end in between', 'cut in between'],
    ['silence', 'silence'],
  ])('asks again after %s', async (_, fate) => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    const seen = new Set<string>();
    bugzilla.decide = ({ target, key }) => {
      const isFirst = !seen.has(`${key} ${target}`);
      seen.add(`${key} ${target}`);
      return isFirst ? fate : 'answer';
    };
    const retryTimeoutMs = fate === 'silence' ? 50 : HASTY.retryTimeoutMs;
    const options = { products: ['Alpha'], bugsAtOnce: 100 };
    const result = await importInto(await newTable(), bugzilla.url, options, { retryTimeoutMs });
    expect(result.summary).toMatchObject({ products: { added: 1 }, bugs: { added: 6 } });
    expect(found(result, 'bugs not copied')).toEqual([]);
  });

  it('gives up after some attempts, and says where', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    bugzilla.decide = () => ({ status: 503 });
    await expect(importInto(await newTable(), bugzilla.url)).rejects.toThrow(
      `${bugzilla.url} cannot be reached: it answers /rest/version with 503`,
    );
    expect(bugzilla.asked).toHaveLength(2);
    bugzilla.decide = ({ target }) => (target.includes('/comment') ? 'cut' : 'answer');
    bugzilla.asked.length = 0;
    await expect(importInto(await newTable(), bugzilla.url, {}, { atOnce: 1 })).rejects.toThrow(
      'cannot be reached',
    );
    const tried = bugzilla.asked.filter(({ target }) => target === must(bugzilla.asked.at(-1)).target);
    expect(tried).toHaveLength(HASTY.attempts);
  });

  it('goes on when one bug alone fails for good', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    bugzilla.decide = ({ target }) =>
      target.includes('/bug/2/')
        ? { status: 500, body: '{"error":1,"code":"100500","message":"It broke"}' }
        : 'answer';
    const result = await importInto(await newTable(), bugzilla.url);
    expect(result.summary.bugs.added).toBe(8);
    expect(found(result, 'bugs not copied')).toEqual(['bug 2: It broke']);
  });

  it('follows no redirection, and never shows or spreads the key', async () => {
    const bugzilla = await startSimulatedBugzilla(referenceCatalogue());
    bugzilla.decide = () => ({ status: 302, headers: { location: 'https://elsewhere.example/' } });
    await expect(importInto(await newTable(), bugzilla.url)).rejects.toThrow(
      'has moved to https://elsewhere.example/',
    );
    bugzilla.decide = () => 'answer';
    const wrong = await importInto(await newTable(), bugzilla.url, {}, { key: keys.unknown }).catch(
      (error: Error) => error.message,
    );
    expect(wrong).toBe('The API key (the API key) is invalid.');
    expect(bugzilla.asked.map(({ target }) => target).join()).not.toContain(keys.admin);
  });
});
