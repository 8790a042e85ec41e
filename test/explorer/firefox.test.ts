import { describe, expect, it } from 'vitest';
import { hasFirefox, NO_MEDIA, startFirefox } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';

describe.skipIf(!hasFirefox())('in Firefox ESR', () => {
  const pages = usePages(startFirefox, NO_MEDIA);

  it('bugs are found, read, and seen with a key', async () => {
    const { page, open, isShown } = pages;
    await open('/');
    await page.getByRole('searchbox').fill('product:Telescope');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/buglist.cgi?quicksearch=*');
    await isShown();
    await page.getByRole('status').getByText('2 bugs').waitFor();
    await open('/show_bug.cgi?id=3');
    await pages.enterKey(ADMIN);
    await page.getByRole('heading', { name: 'The door opens for any key' }).waitFor();
    await open('/show_bug.cgi?id=1#c3');
    expect(await page.locator('#c3').innerText()).toContain('Also on Saturn');
  });
});
