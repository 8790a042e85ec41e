import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { afterFile } from './after-file.ts';
import { startBrowser } from './browser.ts';
import { type Bugless, startBugless } from './bugless.ts';

const DEMO = join(import.meta.dirname, '../../infra/local/demo-catalogue.json');

/** The pages of the demo in a browser: a new context for each test, which may leave no error in the console. */
export function usePages(
  start: () => Promise<Browser> = startBrowser,
  options: BrowserContextOptions = {},
  serve: (catalogue: CatalogueSource) => Promise<Bugless> = startBugless,
) {
  let bugless: Bugless;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** console errors, dialogs, and requests to other origins */
  const browserErrors: string[] = [];

  beforeAll(async () => {
    bugless = await (await serve(await readCatalogueFile(DEMO))).listen();
    browser = await start();
    // Not before: where all tests are skipped, there is no browser to close.
    afterFile(() => browser.close());
  });

  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      timezoneId: 'UTC',
      ...options,
    });
    context.setDefaultTimeout(20_000);
    page = await context.newPage();
    page.on('console', (message) => {
      const isErrorResponse = message.text().startsWith('Failed to load resource');
      if (!isErrorResponse) browserErrors.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => browserErrors.push(String(error)));
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') browserErrors.push(`dialog: ${dialog.message()}`);
    });
    page.on('request', (request) => {
      const isHere = /^(data|blob):/.test(request.url()) || request.url().startsWith(bugless.url);
      if (!isHere) browserErrors.push(`request to ${request.url()}`);
    });
  });
  afterEach(async () => {
    await context.close();
    expect(browserErrors.splice(0)).toEqual([]);
  });

  /** Waits until the page shows its content. */
  const isShown = () => page.locator('main[aria-busy]').waitFor({ state: 'detached' });

  async function open(path: string) {
    await page.goto(bugless.url + path);
    await isShown();
  }

  async function enterKey(key: string) {
    const header = page.locator('header');
    await page.locator('summary', { hasText: 'Sign in' }).click();
    await header.getByLabel('API key', { exact: true }).fill(key);
    await header.getByRole('button', { name: 'Use this key' }).click();
  }

  /** The rules of axe that the page violates. */
  async function accessibilityViolations(): Promise<string[]> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      'axe.run()',
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }

  return {
    accessibilityViolations,
    get bugless() {
      return bugless;
    },
    get context() {
      return context;
    },
    get page() {
      return page;
    },
    isShown,
    open,
    enterKey,
  };
}
