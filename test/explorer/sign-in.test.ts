import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasBrowser, startBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';
import { type BuglessWithSignIn, startBuglessWithSignIn } from '../support/sign-in.ts';

const DEV = 'dev@bugless.example';
const ADMIN = 'admin@bugless.example';
const BUG = '/show_bug.cgi?id=1';

// 5,300 before the design of all pages, its keys, its bulk changes and its administration; 5,644 is what they should have.
it('the pages for readers have at most 6,538 lines', () => {
  const folder = join(import.meta.dirname, '../../functions/explorer/pages');
  const files = readdirSync(folder).filter((name) => !name.startsWith('api.'));
  const lines = files.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(6_538);
});

describe.skipIf(!hasBrowser())('signing in in a browser', () => {
  let service: BuglessWithSignIn;
  const pages = usePages(startBrowser, {}, async (catalogue) => {
    service = await startBuglessWithSignIn(catalogue, {}, true);
    return service;
  });

  /** Asks for a mail in the header, by keyboard alone. */
  async function ask(login = DEV) {
    const { page } = pages;
    await page.locator('summary', { hasText: 'Sign in' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#top-login').focus();
    await page.keyboard.type(login);
    await page.keyboard.press('Enter');
    await page.locator('#top-code:focus').waitFor();
  }

  /** The address that the link of the mail opens. */
  async function linkOfMail(): Promise<{ path: string; code: string }> {
    const mail = (await service.deliver()).at(-1);
    const path = /\/#sign-in=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    return { path, code: mail?.code ?? '' };
  }

  const storedKey = () => pages.page.evaluate<string | null>("localStorage.getItem('bugless-api-key')");
  const storedVisits = () => pages.page.evaluate<string | null>("localStorage.getItem('bugless visited')");
  const isSignedIn = () => pages.page.getByRole('link', { name: 'My bugs' }).waitFor();

  it('where mails are files, the page says where they are', async () => {
    const { page } = pages;
    const answer = { status: 202, json: { mail_folder: '.local/mail' } };
    await page.route('**/rest/bugless/sign_in', (route) => route.fulfill(answer));
    await pages.open(BUG);
    await ask();
    await page
      .getByText('the terminal of npm start shows its link, and its mail is a file in .local/mail/')
      .waitFor();
    await page.unroute('**/rest/bugless/sign_in');
  });

  it('a code is entered by keyboard alone, on the page that was shown, and signing out revokes the session', async () => {
    const { page } = pages;
    await pages.open(BUG);
    await ask();
    const { code } = await linkOfMail();
    expect(await pages.accessibilityViolations()).toEqual([]);
    await page.keyboard.type(`${code.slice(0, 4)} ${code.slice(4).toLowerCase()}`);
    await page.keyboard.press('Enter');
    await isSignedIn();
    expect(page.url()).toBe(service.url + BUG);
    const key = await storedKey();
    expect(key).toMatch(/^session-/);
    await expect.poll(storedVisits).toContain('The moon is blurry');

    await page.locator('.top summary').last().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('summary', { hasText: 'Sign in' }).waitFor();
    expect(await storedKey()).toBeNull();
    expect(await storedVisits()).toBeNull();
    const { body } = await service.call('GET', '/rest/whoami', { key: key ?? '' });
    expect(body.code).toBe(306);

    const asked = page.waitForRequest('**/rest/bugless/sign_in');
    await page.reload();
    await ask();
    expect((await asked).postDataJSON().browser).toMatch(/^[\w-]{32}$/);
    await service.deliver();
  });

  it('a link signs in by a click, not by being opened, and leads back in the tab that asked', async () => {
    const { page } = pages;
    await pages.open(`${BUG}#c1`);
    await ask();
    const { path } = await linkOfMail();
    const scanner = await pages.context.browser()?.newContext();
    const other = await scanner?.newPage();
    await other?.goto(service.url + path);
    await other?.getByText('This link is for another browser').waitFor();
    await scanner?.close();

    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await pages.open(path);
    await page.getByRole('button', { name: `Sign in as ${DEV}` }).waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    expect(requests.filter((url) => /bugless\/session|sign-in=/.test(url))).toEqual([]);
    expect(await storedKey()).toBeNull();
    expect(await pages.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: `Sign in as ${DEV}` }).click();
    await isSignedIn();
    expect(page.url()).toBe(`${service.url}${BUG}#c1`);
  });

  it('a link that somebody else asked for signs nobody in', async () => {
    const { page } = pages;
    await service.ask(DEV);
    const { path } = await linkOfMail();
    await pages.open(path);
    await page.getByText('This link is for another browser').waitFor();
    expect(await page.getByRole('button', { name: /Sign in as/ }).count()).toBe(0);
    expect(await storedKey()).toBeNull();
  });

  // A login each: an account gets 5 mails in an hour.
  it.each([
    ['https://evil.example/', ADMIN],
    ['//evil.example/', 'reporter@bugless.example'],
    ['javascript:alert(1)', 'guard@bugless.example'],
    ['/\\evil.example', 'bot@bugless.example'],
  ])('a way back to %s is not taken', async (wayBack, login) => {
    const { page } = pages;
    await pages.open(BUG);
    await ask(login);
    const { code } = await linkOfMail();
    await page.evaluate((value) => sessionStorage.setItem('bugless way-back', value), wayBack);
    await page.locator('#top-code').fill(code);
    await page.getByRole('button', { name: `Sign in as ${login}` }).click();
    await isSignedIn();
    expect(page.url()).toBe(`${service.url}/`);
  });

  it.each(['#sign-in=', '#sign-in=<img src=x onerror=alert(1)>', '#sign-in=A.B', '#sign-in=%00'])(
    'the fragment %s shows a page, and runs nothing',
    async (fragment) => {
      await pages.open(`/${fragment}`);
      expect(await pages.page.locator('main').innerText()).not.toBe('');
    },
  );

  it('a wrong code, and a server that cannot be reached, are said, and what was typed stays', async () => {
    const { page } = pages;
    await pages.open('/');
    await ask();
    await linkOfMail();
    await page.locator('#top-code').fill('AAAA-AAAA');
    await page.getByRole('button', { name: `Sign in as ${DEV}` }).click();
    await page.getByRole('status').getByText('This code is not valid').waitFor();
    await pages.context.setOffline(true);
    await page.getByRole('button', { name: `Sign in as ${DEV}` }).click();
    await page.getByRole('status').getByText('The server cannot be reached').waitFor();
    expect(await page.locator('#top-code').inputValue()).toBe('AAAA-AAAA');
    await pages.context.setOffline(false);
  });

  it.each([BUG, '/userprefs.cgi?tab=apikey'])('a session that has ended is replaced at %s', async (path) => {
    const { page } = pages;
    await pages.open('/page.cgi?id=quicksearch.html');
    await page.evaluate("localStorage.setItem('bugless-api-key', 'session-that-has-ended')");
    await pages.open(path);
    await page.getByLabel('Email address').first().waitFor();
  });

  it('keys are made, shown once, and revoked', async () => {
    const { page } = pages;
    const key = await service.signIn(ADMIN);
    await pages.open('/page.cgi?id=quicksearch.html');
    await page.evaluate((value) => localStorage.setItem('bugless-api-key', value), key);
    await pages.open('/userprefs.cgi?tab=apikey');
    await page.getByLabel('What the key is for').focus();
    await page.keyboard.type('<b>CI</b>');
    await page.keyboard.press('Enter');
    const made = await page.locator('code.secret-key').innerText();
    expect((await service.call('GET', '/rest/whoami', { key: made })).body.name).toBe(ADMIN);
    const mail = (await service.deliver()).at(-1);
    expect(mail?.text).toContain('<b>CI</b>');
    expect(await pages.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Revoke … <b>CI</b>' }).click();
    await page.getByRole('button', { name: 'Revoke it <b>CI</b>', exact: true }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await service.call('GET', '/rest/whoami', { key: made })).body.code).toBe(306);
  });
});
