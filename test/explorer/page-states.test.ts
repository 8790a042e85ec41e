import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';
import { isLong } from '../support/sample.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';

const PAGES = [
  ['home', '/', '/rest/product**'],
  ['list', '/buglist.cgi?product=Telescope', '/rest/bug?**'],
  ['bug', '/show_bug.cgi?id=2', '/rest/bug/2?**'],
] as const;

const error = (status: number, code: number, message: string) => (route: Route) =>
  route.fulfill({
    status,
    contentType: 'application/json',
    body: JSON.stringify({ error: true, code, message }),
  });

const html = (status: number) => (route: Route) =>
  route.fulfill({ status, contentType: 'text/html', body: '<h1>Sign in to the network</h1>' });

/** What a request is answered with, what the page says then, and whether it offers to try again. */
const FAILURES: [string, (route: Route) => Promise<void>, string, boolean][] = [
  [
    'no right',
    error(401, 102, 'You are not authorized to access bug #2.'),
    'You are not authorized to access bug #2.',
    false,
  ],
  ['a login is needed', error(401, 410, 'You must log in.'), 'You must log in.', false],
  ['a wrong key', error(400, 306, 'The API key is not valid.'), 'The API key is not valid.', false],
  ['a wrong parameter', error(400, 32000, 'There is no such operator.'), 'There is no such operator.', false],
  ['too many requests', error(429, 32000, 'Too many requests.'), 'Too many requests.', true],
  ['an overloaded table', error(503, 32000, 'The table is busy.'), 'The table is busy.', true],
  ['an error page of a proxy', html(502), 'answered with the status 502', true],
  ['a page of a proxy', html(200), 'answered with a page of its own', false],
  ['no network', (route) => route.abort('internetdisconnected'), 'The server cannot be reached.', true],
  ['a group left out', error(404, 32614, 'No such path.'), 'This deployment leaves out', false],
];

/** A run with `RUNS` shows each failure on each page, `npm test` each on one of them. */
const rows = PAGES.flatMap(([name, path, read], page) =>
  FAILURES.filter((_, index) => isLong || index % PAGES.length === page).map(
    ([what, fulfil, text, isRepeatable]) => ({ name, path, read, what, fulfil, text, isRepeatable }),
  ),
);

describe.skipIf(!hasBrowser())('a page in each state', () => {
  const pages = usePages();
  const isIdle = (page: Page) => page.locator('main:not([aria-busy])').waitFor();

  it.each(rows)('$name: $what', async ({ path, read, fulfil, text, isRepeatable }) => {
    const { page, bugless, open } = pages;
    const pattern = `${bugless.url}${read}`;
    await page.route(pattern, fulfil);
    await open(path);
    expect(await page.getByRole('alert').innerText()).toContain(text);
    const again = page.getByRole('button', { name: 'Try again' });
    expect(await again.count()).toBe(isRepeatable ? 1 : 0);
    if (!isRepeatable) return;
    await page.unroute(pattern);
    await again.click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await isIdle(page);
    expect(await page.locator('main h1').innerText()).not.toBe('');
  });

  it.each(PAGES)('%s: says that it is loading when that takes time', async (_, path, read) => {
    const { page, bugless } = pages;
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(`${bugless.url}${read}`, async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(bugless.url + path);
    await page.getByRole('status').getByText('Loading').waitFor();
    resolve();
    await isIdle(page);
    expect(await page.getByText('Loading').count()).toBe(0);
  });

  it('home, list, bug: nothing there', async () => {
    const { page, open } = pages;
    await open('/buglist.cgi?quicksearch=nothinghasthisword');
    expect(await page.locator('main').innerText()).toContain(
      'No bug that you may see meets these conditions.',
    );
    await page.route('**/rest/product?**', (route) => route.fulfill({ json: { products: [] } }));
    await page.route('**/rest/bug?**', (route) => route.fulfill({ json: { bugs: [], bug_count: 0 } }));
    await open('/');
    expect(await page.locator('main').innerText()).toContain('There is no product that you may see.');
    await open('/show_bug.cgi?id=6');
    expect(await page.locator('article').count()).toBeGreaterThan(0);
  });

  it('where the session has ended, the header does not name who had it', async () => {
    const { page, open } = pages;
    await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    await open('/');
    await page.getByRole('banner').getByText('Ada Admin').waitFor();
    await page.route('**/rest/bug/2?**', error(400, 306, 'The API key is not valid.'));
    await open('/show_bug.cgi?id=2');
    await page.getByRole('banner').getByText('Sign in').waitFor();
    expect(await page.getByRole('banner').getByText('Ada Admin').count()).toBe(0);
  });

  it('where a sign-in is needed, it is asked for there, and the page is shown then', async () => {
    const { page, open } = pages;
    await open('/show_bug.cgi?id=3');
    await page.getByRole('main').getByLabel('API key', { exact: true }).fill(ADMIN);
    await page.getByRole('main').getByRole('button', { name: 'Use this key' }).click();
    await page.locator('#c0').waitFor();
  });
});
