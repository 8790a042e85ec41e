import { createServer } from 'node:http';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { VERSION } from '../../lib/version.ts';
import { afterFile } from '../support/after-file.ts';
import { hasBrowser, startBrowser } from '../support/browser.ts';
import { type Bugless, startService } from '../support/bugless.ts';
import { isLong } from '../support/sample.ts';

const PROJECT = join(import.meta.dirname, '../..');
const SCREENSHOTS = join(PROJECT, '.local/screenshots');
const ADMIN_KEY = 'AdminDemoKey0000000000000000000000000000';

/** A script that waits for all animations, and for those that begin where others end. */
const ANIMATIONS_END = `(async () => {
  const all = () => document.getAnimations();
  while (all().length > 0) await Promise.allSettled(all().map(({ finished }) => finished));
})()`;

describe.skipIf(!hasBrowser())('in a browser', () => {
  let bugless: Bugless;
  let browser: Browser;
  let page: Page;
  /** console errors, and requests to other origins */
  const browserErrors: string[] = [];

  beforeAll(async () => {
    bugless = await startService(await readCatalogueFile(join(PROJECT, 'infra/local/demo-catalogue.json')));
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.on('console', (message) => {
      if (message.type() !== 'log') browserErrors.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => browserErrors.push(String(error)));
    page.on('request', (request) => {
      const isHere = request.url().startsWith(bugless.url) || request.url().startsWith('data:');
      if (!isHere) browserErrors.push(`request to ${request.url()}`);
    });
  });
  afterFile(() => browser.close());

  /** Opens an operation, lets `fill` change the example request, and sends it. */
  async function execute(name: string, fill?: (operation: ReturnType<Page['locator']>) => Promise<void>) {
    const operation = page.locator(`.opblock[id$="-${name}"]`);
    await operation.locator('.opblock-summary-control').click();
    await fill?.(operation);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    const status = await answer.locator('tbody .response-col_status').first().innerText();
    const body = await answer.locator('.highlight-code code').first().innerText();
    return { status: Number.parseInt(status, 10), body: JSON.parse(body), operation };
  }

  const textOf = (id: string) => page.locator(`#${id}`).innerText();

  it('the page describes the installation, and shows every operation', async () => {
    await page.goto(`${bugless.url}/api`);
    await page.locator('.opblock').first().waitFor();
    await expect.poll(() => textOf('products')).toBe('6');
    expect([await textOf('version'), await textOf('compatible')]).toEqual([VERSION, 'Bugzilla 5.2']);
    expect(await textOf('caller')).toBe('You are anonymous.');
    const { body } = await bugless.call('GET', '/rest/openapi.json');
    const operations = Object.values<object>(body.paths).flatMap((path) => Object.keys(path));
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    await page.screenshot({ path: join(SCREENSHOTS, 'explorer.png') });
  });

  it('an entered API key applies to the page and to every operation', async () => {
    await page.getByLabel('API key').fill(ADMIN_KEY);
    await page.getByRole('button', { name: 'Use it' }).click();
    await expect.poll(() => textOf('caller')).toBe('You are Ada Admin (admin@bugless.example).');
    await expect.poll(() => textOf('products')).toBe('7');
    expect((await execute('whoami')).body).toMatchObject({ name: 'admin@bugless.example' });
  });

  it('the example product is created, and counted', async () => {
    const { status, body } = await execute('createProduct');
    expect([status, body]).toEqual([201, { id: 8 }]);
    await expect.poll(() => textOf('products')).toBe('8');
    const read = await execute('getProductsByIdOrName', async (operation) => {
      await operation.getByPlaceholder('id_or_name').fill('Rocket');
    });
    expect([read.status, read.body.products[0].description]).toEqual([200, 'To the moon']);
  });

  it('a comment is added to the example bug, and read', async () => {
    const made = await execute('createComment');
    expect(made.status).toBe(201);
    const { status, body } = await execute('getComments');
    expect(status).toBe(200);
    expect(body.bugs['1'].comments.at(-1)).toMatchObject({
      id: made.body.id,
      text: 'Fixed: the lens was dirty.',
      creator: 'admin@bugless.example',
    });
    await made.operation.getByText('Server response').scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(SCREENSHOTS, 'comment.png') });
  });

  it('a file is chosen as an attachment', async () => {
    const made = await execute('createAttachment', async (operation) => {
      const content = Buffer.from('The moon, in short');
      await operation.getByLabel('A file to attach').setInputFiles({
        ...{ name: 'moon.csv', mimeType: 'text/csv' },
        buffer: content,
      });
      const body = operation.getByLabel('Request body');
      await expect
        .poll(async () => JSON.parse(await body.inputValue()))
        .toMatchObject({
          ...{ file_name: 'moon.csv', content_type: 'text/csv', summary: 'What I saw' },
          data: content.toString('base64'),
        });
    });
    expect(made.status).toBe(201);
    const content = await bugless.fetch(`/attachment.cgi?id=${made.body.ids[0]}`);
    expect(await content.text()).toBe('The moon, in short');
  });

  it('a search has a limit, and the beginning of a large answer is shown', async () => {
    const description = 'x'.repeat(60_000);
    const bug = { product: 'Telescope', component: 'Lens', version: '2.0', whiteboard: description };
    for (const summary of ['1', '2', '3', '4']) {
      await bugless.call('POST', '/rest/bug', { key: ADMIN_KEY, body: { ...bug, summary } });
    }
    const operation = page.locator('.opblock[id$="-searchBugs"]');
    await operation.locator('.opblock-summary-control').click();
    expect(await operation.getByPlaceholder('limit', { exact: true }).inputValue()).toBe('20');
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table pre').first();
    expect(await answer.innerText()).toMatch(/… \d+ more characters: download/);
  });

  it('operations are filtered by words of their paths and summaries', async () => {
    const shown = () => page.locator('.opblock-summary-path').allInnerTexts();
    await page.getByLabel('Filter operations').fill('Comment tags');
    await expect.poll(async () => (await shown()).length).toBe(2);
    await page.getByLabel('Filter operations').fill('get history');
    await expect.poll(shown).toEqual(['/rest/bug/{id_or_alias}/history']);
    await page.getByLabel('Filter operations').fill('');
  });

  const schemes = isLong ? (['light', 'dark'] as const) : (['dark'] as const);
  it.each(schemes)('fields have names, and colors contrast: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const state = colorScheme === 'dark' ? 'attached' : 'detached';
    await page.locator('html.dark-mode').waitFor({ state });
    // Colors change gradually.
    await page.evaluate(ANIMATIONS_END);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{
      violations: { id: string; impact: string; nodes: { html: string }[] }[];
    }>("axe.run({ resultTypes: ['violations'] })");
    const grave = violations.filter(({ id, impact }) => impact === 'critical' || id === 'color-contrast');
    expect(grave.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
    await page.screenshot({ path: join(SCREENSHOTS, `explorer-${colorScheme}.png`) });
  });

  it('there are no errors, and no requests to other origins', () => expect(browserErrors).toEqual([]));

  it('a page of another origin may send requests, with a key in a header', async () => {
    const elsewhere = await listen(
      createServer((_, response) => response.end('<!doctype html><title>Elsewhere</title>')),
    );
    const other = await browser.newPage();
    await other.goto(elsewhere.url);
    const answer = await other.evaluate(
      async ([url, key]) => {
        const response = await fetch(`${url}/rest/product/Rocket`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', 'x-bugzilla-api-key': String(key) },
          body: JSON.stringify({ is_open: false }),
        });
        return { status: response.status, text: await response.text() };
      },
      [bugless.url, ADMIN_KEY],
    );
    await other.close();
    await elsewhere.stop();
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).products[0].changes).toEqual({ is_open: { added: '0', removed: '1' } });
  });
});
