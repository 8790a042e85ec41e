import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';
const DEV = 'DevDemoKey000000000000000000000000000000';
const HOSTILE = `<img src=x onerror=alert(1)>"'&`;
const PATH = '/rest/bugless/saved_searches';

describe.skipIf(!hasBrowser())('saved searches in a browser', () => {
  const pages = usePages();
  const press = (name: string) => pages.page.getByRole('button', { name, exact: true }).click();
  const field = (name: string) => pages.page.getByLabel(name, { exact: true });
  const notice = (text: string) => pages.page.locator('#notice').getByText(text).waitFor();
  const mine = () => pages.page.getByRole('region', { name: 'Saved searches', exact: true });

  async function openAs(key: string, path: string) {
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.page.evaluate((value) => sessionStorage.setItem('bugless-api-key', value), key);
    await pages.open(path);
  }

  it('a list is saved under a name, found in the menu, counted on the start page, renamed and deleted', async () => {
    const { page, isShown } = pages;
    await openAs(DEV, '/buglist.cgi?product=Telescope&order=bug_id&api_key=');
    await pages.page.locator('summary', { hasText: 'Save search' }).click();
    await field('Name').fill(HOSTILE);
    await page.keyboard.press('Enter');
    await notice(`Saved as “${HOSTILE}”.`);
    await page.locator('summary', { hasText: 'Searches' }).click();
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.waitForURL('**/buglist.cgi?product=Telescope&order=bug_id');
    await isShown();
    const count = await page.locator('tbody tr').count();
    await pages.open('/');
    await page.getByRole('region', { name: 'Saved searches' }).getByRole('link', { name: HOSTILE }).waitFor();
    await pages.open('/userprefs.cgi?tab=saved-searches');
    await mine()
      .getByRole('cell', { name: `${count}`, exact: true })
      .waitFor();
    const [name, , seenBy] = await mine().locator('tbody td').allInnerTexts();
    expect([name, seenBy]).toEqual([HOSTILE, 'you alone']);
    await press(`Edit ${HOSTILE}`);
    await field('Name').fill('Telescopes');
    await press('Save search');
    await notice('Saved as “Telescopes”.');
    expect(await pages.accessibilityViolations()).toEqual([]);
    await press('Delete … Telescopes');
    await press('Delete it Telescopes');
    await notice('“Telescopes” is deleted.');
    await mine().getByText('None yet.').waitFor();
  });

  it('a name that is taken is said at its field, and its search is replaced on request', async () => {
    const { page, bugless } = pages;
    await bugless.call('POST', PATH, { key: DEV, body: { name: 'Again', query: 'product=Handbook' } });
    await openAs(DEV, '/buglist.cgi?quicksearch=-moon');
    await pages.page.locator('summary', { hasText: 'Save search' }).click();
    await field('Name').fill('again');
    await press('Save');
    await page.locator('#input-name-problem').getByText('already').waitFor();
    await page.getByLabel('Replace one of this name').check();
    await press('Save');
    await notice('Saved as “again”.');
    const { body } = await bugless.call('GET', PATH, { key: DEV });
    expect(body.saved_searches).toMatchObject([{ name: 'again', query: 'quicksearch=-moon' }]);
    await bugless.call('DELETE', `${PATH}/${body.saved_searches[0].id}`, { key: DEV });
  });

  it('a shared one is shown to members of the group, without what changes it', async () => {
    const { bugless } = pages;
    const { body: who } = await bugless.call('GET', '/rest/user/dev@bugless.example', { key: DEV });
    const [group] = who.users[0].groups;
    const body = { name: 'Of the team', query: 'product=Telescope', group: group.name };
    const { body: saved } = await bugless.call('POST', PATH, { key: DEV, body });
    await openAs(ADMIN, '/userprefs.cgi?tab=saved-searches');
    expect(await mine().innerText()).toContain(group.name);
    expect(await mine().getByRole('button').count()).toBe(0);
    await bugless.call('DELETE', `${PATH}/${saved.id}`, { key: DEV });
  });

  it('where the deployment has none, the start page is as it is without them', async () => {
    const { page } = pages;
    await page.route(`**${PATH}`, (route) =>
      route.fulfill({ status: 404, json: { error: true, code: 32614, message: 'There is no such path.' } }),
    );
    await openAs(DEV, '/');
    await page.getByRole('heading', { name: 'Products' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Saved searches' }).count()).toBe(0);
    await page.locator('summary', { hasText: 'Searches' }).click();
    await page.getByText('There is no such path.').waitFor();
  });
});
