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

describe.skipIf(!hasBrowser())('the requests of a page', () => {
  const pages = usePages();

  it.each(PAGES)('%s (%s): at most %i, %i bytes, %i waves', async (name, path, most, bytes, waves) => {
    const { page } = pages;
    await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    const sent: { request: Request; begun: number; ended: number }[] = [];
    page.on('request', (request) =>
      sent.push({ request, begun: Date.now(), ended: Number.POSITIVE_INFINITY }),
    );
    page.on('requestfinished', (request) => {
      const entry = sent.find((one) => one.request === request);
      if (entry !== undefined) entry.ended = Date.now();
    });
    // So that a wave is longer than what the machine takes in between.
    await page.route('**/*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, ROUND_TRIP_MS));
      await route.continue();
    });
    await pages.open(path);
    await page.unrouteAll({ behavior: 'wait' });
    // Visits, by which rows are marked afterwards, and pictures of attachments do not count.
    const own = sent.filter(
      ({ request }) =>
        request.method() === 'GET' && /^http(?!.*(attachment\.cgi|icon|\?ids=))/.test(request.url()),
    );
    const sizes = await Promise.all(own.map(async ({ request }) => (await request.sizes()).responseBodySize));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    // A request is of the wave after those that had ended when it began.
    const waveOf = new Map<Request, number>();
    for (const { request, begun } of own) {
      const before = own.filter(({ ended }) => ended <= begun).map((one) => waveOf.get(one.request) ?? 0);
      waveOf.set(request, Math.max(0, ...before) + 1);
    }
    const count = Math.max(...waveOf.values());
    console.log(`${name}: ${own.length} requests, ${(total / 1000).toFixed(1)} KB, ${count} waves`);
    expect(
      own.length,
      own.map(({ request }) => `${waveOf.get(request)} ${request.url()}`).join('\n'),
    ).toBeLessThanOrEqual(most);
    expect(total).toBeLessThanOrEqual(bytes);
    expect(
      count,
      own.map(({ request }) => `${waveOf.get(request)} ${request.url()}`).join('\n'),
    ).toBeLessThanOrEqual(waves);
  });
});

const ROUND_TRIP_MS = 200;
