import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { openState, PAGE_STATES } from '../support/page-states.ts';
import { usePages } from '../support/pages.ts';
import { isLong } from '../support/sample.ts';

const FOLDER = join(import.meta.dirname, 'pictures');
const NOW = 'Thu, 05 Nov 2026 12:00:00 GMT';
/** `PICTURES=new npm test -- test/explorer/pictures.test.ts` makes them anew. */
const isNew = process.env['PICTURES'] === 'new';
const isCompared = isNew || isLong;

/** States that differ in layout, each at one width and in one scheme. */
const PICTURES = [
  ['home', 1280, 'light'],
  ['bug', 1280, 'light'],
  ['bug', 390, 'dark'],
  ['bug-edit', 1280, 'dark'],
  ['bug-status', 1280, 'light'],
  ['bug-private', 390, 'light'],
  ['session-expired', 1280, 'light'],
  ['new', 1280, 'light'],
  ['list-selected', 1280, 'dark'],
  ['search-groups', 1280, 'light'],
  ['admin-product', 1280, 'light'],
  ['error-401', 390, 'light'],
  ['list', 1280, 'light'],
  ['list', 390, 'light'],
] as const;
/** The share of points that may differ: fonts are drawn a little otherwise elsewhere. */
const TOLERANCE = 0.02;

/** A script that says which share of the points of two pictures differs clearly. */
const compare = (pictures: string[]) => `(async () => {
  const [a, b] = await Promise.all(${JSON.stringify(pictures)}.map(async (base64) => {
    const image = await createImageBitmap(new Blob([Uint8Array.fromBase64(base64)], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 48)) count += 1;
  return count / (a.data.length / 4);
})()`;

describe.skipIf(!isCompared || !hasBrowser())('the picture of a page', () => {
  const pages = usePages();

  it.each(PICTURES)('%s at %i px, %s', async (name, width, colorScheme) => {
    const { page } = pages;
    const state = PAGE_STATES.find((one) => one.name === name) ?? expect.fail(`There is no state ${name}`);
    // Pages say how long ago something was, by the time of responses.
    await page.route('**/rest/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), date: NOW } });
    });
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await openState(state, pages);
    // What is pointed at is drawn otherwise.
    await page.mouse.move(0, 0);
    if (state.isFocused !== true) await page.evaluate('document.activeElement.blur()');
    await page.evaluate('scrollTo(0, 0)');
    if (state.at !== undefined) {
      await page.locator(state.at).scrollIntoViewIfNeeded();
      if (state.at === '#composer') await page.locator('body.writing').waitFor();
    }
    const picture = await page.screenshot();
    const file = join(FOLDER, `${name}-${width}-${colorScheme}.png`);
    if (isNew) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, picture);
    }
    const stored = readFileSync(file).toString('base64');
    await page.unrouteAll({ behavior: 'wait' });
    expect(await page.evaluate(compare([picture.toString('base64'), stored]))).toBeLessThan(TOLERANCE);
  });
});
