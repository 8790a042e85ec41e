import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';

/** Pages with the requests that they take at most when nothing is known of them, and of these the ones of REST when they are shown again. */
const PAGES = [
  ['home', '/', 10, 3],
  ['list', '/buglist.cgi?bug_status=__all__', 7, 2],
  ['list in an order', '/buglist.cgi?product=Telescope&order=priority%20DESC', 7, 2],
  ['repeated conditions', '/buglist.cgi?product=Telescope&priority=&bug_severity=major&product=Vault', 7, 2],
  ['bug', '/show_bug.cgi?id=2', 11, 3],
  ['new bug', '/enter_bug.cgi?product=Client%2FServer%20%26%20100%25%20%22Glue%22', 9, 1],
  ['requests', '/request.cgi', 6, 1],
  ['search', '/query.cgi', 8, 1],
  ['preferences', '/userprefs.cgi', 6, 1],
  ['watching', '/userprefs.cgi?tab=watch', 7, 1],
  ['saved searches', '/userprefs.cgi?tab=saved-searches', 7, 1],
  ['keys', '/userprefs.cgi?tab=apikey', 7, 1],
  ['administration', '/admin', 6, 2],
  ['a product', '/admin?tab=products&product=1', 7, 2],
  ['a person', '/admin?tab=people&user=dev%40bugless.example', 8, 3],
  ['keywords', '/admin?tab=keywords', 6, 2],
  ['a field', '/admin?tab=fields&field=priority', 6, 2],
  ['help', '/page.cgi?id=quicksearch.html', 5, 0],
] as const;
const MAX_BYTES = 60_000;
const MAX_WARM_BYTES = 12_000;
/** The document, then its modules beside the first requests of REST. */
const MAX_WAVES = 2;
const ROUND_TRIP_MS = 400;
const MAX_SHIFT = 0.02;

interface Timed {
  name: string;
  startTime: number;
  responseEnd: number;
  transferSize: number;
}
const TIMES = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ name, startTime, responseEnd, transferSize }) => ({ name, startTime, responseEnd, transferSize }))`;

/** A script that keeps when the content is there, and how far things move. */
const WATCH = `globalThis.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver(() => {
    if (document.querySelector('main h1:not(:has(.bone))')) globalThis.firstAt ??= performance.now();
    // What the server has written is there before.
    if (document.querySelector('header [data-own]')) globalThis.drawnAt ??= performance.now();
  }).observe(document, { childList: true, subtree: true, attributes: true });`;

/** Pictures of attachments and of the pages are no requests of a page. */
const isOwn = (url: string) => /^http(?!.*(attachment\.cgi|icon))/.test(url);

describe.skipIf(!hasBrowser())('the requests of a page', () => {
  const pages = usePages();

  it.each(PAGES)(
    '%s (%s): at most %i, when shown again %i of REST',
    { retry: 2 },
    async (name, path, most, warm) => {
      const { page } = pages;
      await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
      await page.addInitScript(WATCH);
      const sent: Request[] = [];
      page.on('request', (request) => {
        if (request.method() === 'GET' && isOwn(request.url())) sent.push(request);
      });
      const timesOf = async () => (await page.evaluate<Timed[]>(TIMES)).filter(({ name: url }) => isOwn(url));
      const bytesOf = (all: Timed[]) => all.reduce((sum, one) => sum + one.transferSize, 0);
      // The server reads its files with their first request.
      await pages.bugless.fetch(path);
      const network = await pages.context.newCDPSession(page);
      const unlimited = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
      await network.send('Network.enable');
      await network.send('Network.emulateNetworkConditions', { ...unlimited, latency: ROUND_TRIP_MS });
      await pages.open(path);
      await page.locator('header > [data-own]').first().waitFor();
      const [first, drawn] = await page.evaluate<[number, number]>('[firstAt, Math.max(firstAt, drawnAt)]');
      // What is read later moves nothing. A request is of the wave after those that were answered when it began.
      const timed = (await timesOf()).filter((one) => one.startTime < drawn - ROUND_TRIP_MS / 2);
      const ordered: { one: Timed; wave: number }[] = [];
      for (const one of timed.toSorted((a, b) => a.startTime - b.startTime)) {
        const before = ordered.filter((other) => other.one.responseEnd <= one.startTime);
        ordered.push({ one, wave: Math.max(0, ...before.map(({ wave }) => wave)) + 1 });
      }
      const waves = Math.max(...ordered.map(({ wave }) => wave));
      await page.waitForLoadState('networkidle');
      const shifted = await page.evaluate<number>('shifts.reduce((sum, one) => sum + one, 0)');
      const cold = sent.splice(0);
      const bytes = bytesOf(await timesOf());
      await network.send('Network.emulateNetworkConditions', { ...unlimited, latency: 0 });
      await pages.open(path);
      await page.waitForLoadState('networkidle');
      const again = sent.filter((one) => one.url().includes('/rest/'));
      const warmBytes = bytesOf(await timesOf());
      const said = `${name}: ${cold.length} requests, ${(bytes / 1000).toFixed(1)} KB, ${waves} waves, first content ${first.toFixed(0)} ms, ${shifted.toFixed(3)} shifted; again ${again.length}, ${(warmBytes / 1000).toFixed(1)} KB`;
      console.log(said);
      expect(cold.length, cold.map((one) => one.url()).join('\n')).toBeLessThanOrEqual(most);
      expect(again.length, again.map((one) => one.url()).join('\n')).toBeLessThanOrEqual(warm);
      expect(bytes, said).toBeLessThanOrEqual(MAX_BYTES);
      expect(warmBytes, said).toBeLessThanOrEqual(MAX_WARM_BYTES);
      expect(waves, ordered.map(({ one, wave }) => `${wave} ${one.name}`).join('\n')).toBeLessThanOrEqual(
        MAX_WAVES,
      );
      expect(shifted, said).toBeLessThanOrEqual(MAX_SHIFT);
    },
  );
});
