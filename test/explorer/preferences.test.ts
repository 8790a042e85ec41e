import { describe, expect, it } from 'vitest';
import { unsubscribeCode, unsubscribeRepository } from '../../lib/people/unsubscribe.ts';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const DEV = 'DevDemoKey000000000000000000000000000000';
const ADMIN = 'AdminDemoKey0000000000000000000000000000';
const PATH = '/rest/bugless/preferences';

describe.skipIf(!hasBrowser())('preferences in a browser', () => {
  const pages = usePages();
  const press = (name: string) => pages.page.getByRole('button', { name, exact: true }).click();
  const read = async () => (await pages.bugless.call('GET', PATH, { key: DEV })).body;

  async function openAs(key: string, path: string) {
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.page.evaluate((value) => sessionStorage.setItem('bugless-api-key', value), key);
    await pages.open(path);
  }

  it('name and mails are read, changed, and what is wrong is said at its field', async () => {
    const { page } = pages;
    const before = await read();
    await openAs(DEV, '/userprefs.cgi?tab=email');
    await page.getByLabel('On the CC list').uncheck();
    await page.getByLabel('Status and resolution').uncheck();
    await press('Save');
    await page.getByText('Your preferences are saved.').waitFor();
    await pages.open('/userprefs.cgi');
    await page.getByLabel('Your name').fill('n'.repeat(256));
    await press('Save');
    await page.locator('#input-real_name-problem').getByText('255').waitFor();
    expect((await read()).real_name).toBe(before.real_name);
    const name = '<b>Dev</b> & "Co"';
    await page.getByLabel('Your name').fill(name);
    await press('Save');
    await page.getByText('Your preferences are saved.').waitFor();
    const changed = { real_name: name, mail_off: { roles: ['cc'], changes: ['status'] } };
    expect(await read()).toEqual({ ...before, ...changed });
    expect(await page.getByLabel('Your name').inputValue()).toBe(name);
    expect(await pages.accessibilityViolations()).toEqual([]);
    await pages.open('/userprefs.cgi?tab=email');
    expect(await pages.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Mail me about bugs').uncheck();
    await press('Save');
    await page.getByText('Your preferences are saved.').waitFor();
    expect(await read()).toMatchObject({ email_enabled: false, mail_off: changed.mail_off });
  });

  it('what is watched is chosen, taken away, and shown as text, whatever its name', async () => {
    const { page, bugless } = pages;
    const name = '<img src=x onerror=alert(1)> & "Co"';
    const { body } = await bugless.call('GET', '/rest/product?type=accessible', { key: ADMIN });
    const [{ id, components }] = body.products;
    await bugless.call('PUT', `/rest/product/${id}`, { key: ADMIN, body: { name } });
    const component = components[0].name;
    await openAs(DEV, '/userprefs.cgi?tab=watch');
    for (const place of [component, 'all components'])
      await page.getByLabel(`${name}: ${place}`, { exact: true }).check();
    await page.getByLabel('People whose mails').fill('admin@bugless.example, nobody@bugless.example');
    await press('Save');
    await page.locator('#input-watched_users-problem').getByText('nobody@bugless.example').waitFor();
    expect(await read()).toMatchObject({ watched_users: [], watched_components: [] });
    await page.getByLabel('People whose mails').fill('ADMIN@bugless.example, ');
    await press('Save');
    await page.getByText('Your preferences are saved.').waitFor();
    expect(await read()).toMatchObject({
      watched_users: ['admin@bugless.example'],
      watched_components: [
        { product: name, component: null },
        { product: name, component },
      ],
    });
    expect(await page.getByLabel('People whose mails').inputValue()).toBe('admin@bugless.example');
    expect(await pages.accessibilityViolations()).toEqual([]);
    await page.getByLabel(`${name}: all components`).uncheck();
    await press('Save');
    await page.getByText('Your preferences are saved.').waitFor();
    expect((await read()).watched_components).toEqual([{ product: name, component }]);
  });

  it('are of who is signed in', async () => {
    await pages.open('/userprefs.cgi');
    await pages.page.getByText('Sign in to see your preferences.').waitFor();
    await pages.page.getByRole('main').getByLabel('API key', { exact: true }).waitFor();
  });

  it('the link of a mail asks before it turns mails off, without a sign-in', async () => {
    const { page, bugless } = pages;
    const { body } = await bugless.call('GET', '/rest/whoami', { key: DEV });
    await bugless.call('PUT', PATH, { key: DEV, body: { email_enabled: true } });
    const secret = (await unsubscribeRepository(bugless.table).ensure()) ?? '';
    const code = unsubscribeCode(secret, body.id);
    await pages.open(`/rest/bugless/unsubscribe?user=${body.id}&code=${code}`);
    expect(page.url()).toBe(`${bugless.url}/userprefs.cgi?tab=mail`);
    expect((await read()).email_enabled).toBe(true);
    await press('Turn them off');
    await page.getByText('Mails are off.').waitFor();
    expect((await read()).email_enabled).toBe(false);
    await pages.open(`/rest/bugless/unsubscribe?user=${body.id}&code=wrong`);
    await press('Turn them off');
    await page.getByText('This link turns no mails off.').waitFor();
  });

  it('single keys are turned off, and on again', async () => {
    const { page } = pages;
    await openAs(DEV, '/userprefs.cgi');
    await page.getByLabel('Single keys').uncheck();
    await pages.open('/show_bug.cgi?id=1');
    await page.keyboard.press('?');
    expect(await page.locator('dialog').count()).toBe(0);
    await pages.open('/userprefs.cgi');
    await page.getByLabel('Single keys').check();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  });
});
