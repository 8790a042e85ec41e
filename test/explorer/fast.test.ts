import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';

/** Pages with the requests, the bytes as they are sent, and the waves of requests that they take at most when nothing is known of them. */
const PAGES = [
  ['home', '/', 12, 60_000, 3],
  ['list', '/buglist.cgi?bug_status=__all__', 9, 60_000, 3],
  // The fourth wave has names of people and of other bugs, which move nothing.
  ['bug', '/show_bug.cgi?id=2', 13, 60_000, 4],
  ['new bug', '/enter_bug.cgi?product=Telescope', 11, 60_000, 4],
  ['requests', '/request.cgi', 7, 60_000, 4],
  ['search', '/query.cgi', 9, 60_000, 4],
  ['preferences', '/userprefs.cgi', 8, 60_000, 4],
  ['administration', '/admin', 8, 60_000, 4],
] as const;

interface Timed {
  name: string;
  startTime: number;
  responseStart: number;
}
const TIMES = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ name, startTime, responseStart }) => ({ name, startTime, responseStart }))`;

describe.skipIf(!hasBrowser())('the requests of a page', () => {
  const pages = usePages();

  it.each(PAGES)('%s (%s): at most %i, %i bytes, %i waves', async (name, path, most, bytes, waves) => {
    const { page } = pages;
    await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    await page.addInitScript(`globalThis.shifts = [];
      new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: 'layout-shift', buffered: true });`);
    const sent: Request[] = [];
    page.on('request', (request) => sent.push(request));
    // So that a wave is longer than what the machine takes in between.
    await page.route('**/*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, ROUND_TRIP_MS));
      await route.continue();
    });
    await pages.open(path);
    await page.unrouteAll({ behavior: 'wait' });
    // Visits, by which rows are marked afterwards, and pictures of attachments do not count.
    const isOwn = (url: string) => /^http(?!.*(attachment\.cgi|icon|\?ids=))/.test(url);
    const own = sent.filter((request) => request.method() === 'GET' && isOwn(request.url()));
    const sizes = await Promise.all(own.map(async (request) => (await request.sizes()).responseBodySize));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    // A request is of the wave after those that were being answered when it began.
    const timed = (await page.evaluate<Timed[]>(TIMES)).filter(
      ({ name: url }) => isOwn(url) && !url.includes('last_visit'),
    );
    const ordered: { one: Timed; wave: number }[] = [];
    for (const one of timed.toSorted((a, b) => a.startTime - b.startTime)) {
      const before = ordered
        .filter((other) => other.one.responseStart <= one.startTime)
        .map(({ wave }) => wave);
      ordered.push({ one, wave: Math.max(0, ...before) + 1 });
    }
    const count = Math.max(...ordered.map(({ wave }) => wave));
    const listed = ordered.map(({ one, wave }) => `${wave} ${one.name}`).join('\n');
    const shifted = await page.evaluate<number>('shifts.reduce((sum, one) => sum + one, 0)');
    console.log(
      `${name}: ${own.length} requests, ${(total / 1000).toFixed(1)} KB, ${count} waves, ${shifted.toFixed(3)} shifted`,
    );
    expect(own.length, listed).toBeLessThanOrEqual(most);
    expect(total).toBeLessThanOrEqual(bytes);
    expect(count, listed).toBeLessThanOrEqual(waves);
    expect(shifted).toBeLessThanOrEqual(0.02);
  });
});

const ROUND_TRIP_MS = 200;
