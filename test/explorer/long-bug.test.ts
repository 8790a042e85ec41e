import { describe, expect, it } from 'vitest';
import { hasBrowser, startBrowser } from '../support/browser.ts';
import { startBugless } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { usePages } from '../support/pages.ts';
import { isLong } from '../support/sample.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';

const COMMENTS = 10_000;
const CC = 1_000;
/** Comments of almost the longest text, the newest ones: in lines of words, and of line breaks alone. */
const LARGE = 132;
const TEXTS = ['words of a line that a browser has to break\n'.repeat(1_450), '\n'.repeat(65_000)];
/** Of CPU, in seconds: a page that is read within this time is not felt to be slow. */
const MAX_SECONDS = 2;

const people = Array.from({ length: CC }, (_, index) => `person-${index}@example.org`);
const comments = Array.from({ length: COMMENTS }, (_, count) =>
  aComment(
    count < COMMENTS - LARGE ? `Comment ${count}` : `${count}\n${TEXTS[count % 10 === 0 ? 1 : 0]}end`,
    {
      creation_time: new Date(Date.UTC(2026, 0, 1) + count * 60_000).toISOString().replace('.000', ''),
    },
  ),
);

describe.skipIf(!isLong || !hasBrowser())('a bug with the most that a page shows', () => {
  const pages = usePages(startBrowser, {}, () =>
    startBugless(
      parseCompleteCatalogue({
        users: [REPORTER, ...people].map((login) => ({ login })),
        products: [aProduct()],
        bugs: [aBug(1, { cc: people, comments })],
      }),
    ),
  );

  it.each(['/show_bug.cgi?id=1', '/show_bug.cgi?id=1#c5000'])(
    `can be read at %s after at most ${MAX_SECONDS} s of CPU of the page`,
    async (path) => {
      const { page, context } = pages;
      const session = await context.newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await pages.open(path);
      await page.locator('article').first().waitFor();
      const { metrics } = await session.send('Performance.getMetrics');
      const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
      console.log(`${path}: ${seconds.toFixed(2)} s of CPU`);
      expect(seconds).toBeLessThan(MAX_SECONDS);
      expect(await page.locator('article').count()).toBeLessThanOrEqual(500);
    },
  );
});
