import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import demo from '../../infra/local/demo-catalogue.json' with { type: 'json' };
import { hasBrowser, startBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';
import { textOf, withText } from '../support/png-text.ts';

/** `PICTURE=new npm test -- test/explorer/picture.test.ts` makes the picture of the README anew. */
const FILE = join(import.meta.dirname, '../../functions/explorer/page.png');
const README = join(import.meta.dirname, '../../infra/README.md');
const NOW = 'Thu, 05 Mar 2026 12:00:00 GMT';
const KEY = 'DevDemoKey000000000000000000000000000000';

describe('the picture of the README', () => {
  it('shows a bug of the demo', () => {
    const text = textOf(readFileSync(FILE));
    const [bug] = demo.bugs;
    expect(text).toContain(bug?.summary);
    for (const { text: comment } of bug?.comments ?? []) {
      for (const line of comment.split('\n')) expect(text).toContain(line);
    }
  });

  describe.skipIf(!hasBrowser())('in a browser', () => {
    const pages = usePages(startBrowser, { viewport: { width: 1080, height: 900 } });

    it('is the page as it is', async () => {
      const { page } = pages;
      // The page says how long ago something was, by the time of responses.
      await page.route('**/rest/**', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), date: NOW } });
      });
      await pages.open('/show_bug.cgi?id=1');
      await pages.enterKey(KEY);
      await page.getByText('Do not tell anyone').waitFor();
      await pages.isShown();
      await page.evaluate(
        'document.activeElement.blur(); document.querySelector("details").open = false; scrollTo(0, 0)',
      );
      const text = await page.evaluate<string>('document.body.innerText');
      await page.unrouteAll({ behavior: 'wait' });
      if (process.env['PICTURE'] === 'new')
        writeFileSync(FILE, withText(await page.screenshot({ fullPage: true }), text));
      expect(
        textOf(readFileSync(FILE)),
        'Make it anew: PICTURE=new npm test -- test/explorer/picture.test.ts',
      ).toBe(text);
    });
  });

  it('has the words of the buttons that the first day in infra/README.md names', () => {
    const shown = textOf(readFileSync(FILE)).split('\n');
    const [, step = ''] = /^6\. On a bug's page: (.*?), and /m.exec(readFileSync(README, 'utf8')) ?? [];
    const named = [...step.matchAll(/\*(.+?)\*/g)].map(([, name]) => name);
    expect(named).toHaveLength(2);
    expect(shown).toEqual(expect.arrayContaining(named));
  });
});
