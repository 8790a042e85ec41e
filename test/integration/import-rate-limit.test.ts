import { describe, expect, it } from 'vitest';
import { bugzillaClient } from '../../infra/import/bugzilla-client.ts';
import { versionResponse } from '../../infra/import/source-schema.ts';
import { newTable } from '../support/bugless.ts';
import { FAST_OPTIONS, importInto, problemLines, required, shortCatalogue } from '../support/importing.ts';
import { keys } from '../support/keys.ts';
import { type Fate, startSimulatedBugzilla } from '../support/simulated-bugzilla.ts';

describe('rate limiting and retries of an import', () => {
  it('limits the rate and the concurrency of requests', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.latencyMs = 120;
    await importInto(await newTable(), bugzilla.url, { products: ['Alpha'] }, { requestsPerSecond: 20 });
    const times = bugzilla.requests.map(({ at }) => at);
    // A busy machine delays requests; it does not make their rate higher, except between the first and the next ones.
    expect(required(times.at(-1)) - required(times[0])).toBeGreaterThan(0.8 * 50 * (times.length - 1));
    const maximum = Math.max(...bugzilla.requests.map(({ concurrency }) => concurrency));
    expect(maximum).toBeGreaterThan(1);
    expect(maximum).toBeLessThanOrEqual(4);
  });

  it('waits as long as Retry-After says', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    let refusedAt = 0;
    bugzilla.decide = ({ target, at }) => {
      if (refusedAt > 0 || !target.includes('/comment')) return 'answer';
      refusedAt = at;
      return { status: 429, headers: { 'retry-after': '1' } };
    };
    const result = await importInto(
      await newTable(),
      bugzilla.url,
      { products: ['Closed'] },
      { concurrency: 1 },
    );
    expect(result.summary.bugs.added).toBe(1);
    const later = bugzilla.requests.filter(({ at }) => at > refusedAt);
    expect(required(later[0]).at - refusedAt).toBeGreaterThan(950);
  });

  const FAILURES: [string, Fate][] = [
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
    ['closed connections', 'cut'],
    ['truncated responses', 'truncate'],
  ];

  it.each(FAILURES)('retries after %s', async (_, fate) => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const { url, requests } = bugzilla;
    bugzilla.decide = () => (requests.length === 1 ? fate : 'answer');
    const client = bugzillaClient({ ...FAST_OPTIONS, url, key: keys.admin });
    expect(await client.get('version', versionResponse)).toEqual({ version: '5.2+' });
    expect(requests).toHaveLength(2);
  });

  it('retries each request, whatever it fails with', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    const seen = new Set<string>();
    bugzilla.decide = ({ target, key }) => {
      const request = `${key} ${target}`;
      const [, fate] = required(FAILURES[seen.size % FAILURES.length]);
      if (seen.has(request)) return 'answer';
      seen.add(request);
      return fate;
    };
    const options = { products: ['Closed'], bugsPerPage: 100 };
    const result = await importInto(await newTable(), bugzilla.url, options);
    expect(result.summary).toMatchObject({ products: { added: 1 }, bugs: { added: 1 } });
    expect(problemLines(result, 'bugs not copied')).toEqual([]);
    expect(seen.size).toBeGreaterThan(FAILURES.length);
  });

  it('retries after a timeout', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    let current = new AbortController();
    const requestTimeout = () => {
      current = new AbortController();
      return current.signal;
    };
    let timeouts = 0;
    const seen = new Set<string>();
    bugzilla.decide = ({ target }) => {
      if (seen.has(target)) return 'answer';
      seen.add(target);
      timeouts += 1;
      current.abort(new DOMException('The request timed out', 'TimeoutError'));
      return 'hang';
    };
    const options = { products: ['Closed'], bugsPerPage: 100 };
    const client = { requestTimeout, concurrency: 1 };
    const result = await importInto(await newTable(), bugzilla.url, options, client);
    expect(result.summary).toMatchObject({ products: { added: 1 }, bugs: { added: 1 } });
    expect(problemLines(result, 'bugs not copied')).toEqual([]);
    expect(timeouts).toBeGreaterThan(5);
  });

  it('fails after the maximum number of attempts, naming the request', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.decide = () => ({ status: 503 });
    await expect(importInto(await newTable(), bugzilla.url)).rejects.toThrow(
      `${bugzilla.url} is not available: /rest/version responds with 503`,
    );
    expect(bugzilla.requests).toHaveLength(2);
    bugzilla.decide = ({ target }) => (target.includes('/comment') ? 'cut' : 'answer');
    bugzilla.requests.length = 0;
    const options = { products: ['Closed'] };
    await expect(importInto(await newTable(), bugzilla.url, options, { concurrency: 1 })).rejects.toThrow(
      'does not answer',
    );
    const tried = bugzilla.requests.filter(
      ({ target }) => target === required(bugzilla.requests.at(-1)).target,
    );
    expect(tried).toHaveLength(FAST_OPTIONS.maxAttempts);
  });

  it('continues when a single bug fails permanently', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.decide = ({ target }) =>
      target.includes('/bug/2/')
        ? { status: 500, body: '{"error":1,"code":"100500","message":"It broke"}' }
        : 'answer';
    const result = await importInto(await newTable(), bugzilla.url, { products: ['Alpha'] });
    expect(result.summary.bugs.added).toBe(2);
    expect(problemLines(result, 'bugs not copied')).toEqual(['bug 2: It broke']);
  });

  it('follows no redirects, and never discloses the API key', async () => {
    const bugzilla = await startSimulatedBugzilla(shortCatalogue());
    bugzilla.decide = () => ({ status: 302, headers: { location: 'https://elsewhere.example/' } });
    await expect(importInto(await newTable(), bugzilla.url)).rejects.toThrow(
      'has moved to https://elsewhere.example/',
    );
    bugzilla.decide = () => 'answer';
    const wrong = await importInto(await newTable(), bugzilla.url, {}, { key: keys.unknown }).catch(
      (error: Error) => error.message,
    );
    expect(wrong).toBe(`${bugzilla.url} refuses the API key: it is wrong, or revoked`);
  });
});
