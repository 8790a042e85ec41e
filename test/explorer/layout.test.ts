import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasBrowser, hasFirefox, NO_MEDIA, startBrowser, startFirefox } from '../support/browser.ts';
import { openState, PAGE_STATES } from '../support/page-states.ts';
import { usePages } from '../support/pages.ts';

/** A script that says what is wrong with the layout of a page. Axe does not look at it. */
const LOOK = `(() => {
  const problems = [];
  const nameOf = (one) => one.outerHTML.slice(0, 90);
  const isShown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && one.getClientRects().length > 0;
  const all = [...document.body.querySelectorAll('*')].filter(isShown);
  if (document.documentElement.scrollWidth > innerWidth) problems.push('scrolls horizontally: ' + document.documentElement.scrollWidth);

  // What is in front of other things on purpose: menus, and bars that stay in view.
  const layerOf = (one) => one.closest('body > .skip, .panel, .transition, .bulk, .actions, .pinned, .phone-bar, dialog, .options, .fields, .pen, .take, .toast, #bar');
  // What scrolls by itself on a phone: tables of administration, tabs, conditions.
  const scrolls = (one) => one.closest('.scroll, .tabs, .filters') !== null;
  const controls = all.filter((one) => one.matches('a, button, input, select, textarea, summary'));
  // What is cut off in a cell ends there.
  const cut = (one, { left, right, top, bottom }) => ({ left, top, bottom, right: Math.min(right, one.closest('td')?.getBoundingClientRect().right ?? right) });
  const boxes = controls.flatMap((one) => [...one.getClientRects()].map((box) => [one, layerOf(one), cut(one, box)]));
  for (const [index, [one, layer, a]] of boxes.entries())
    for (const [other, otherLayer, b] of boxes.slice(index + 1)) {
      if (layer !== otherLayer || one.contains(other) || other.contains(one) || one === other) continue;
      const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
      if (width > 1 && height > 3) problems.push('overlap: ' + nameOf(one) + ' and ' + nameOf(other));
    }

  for (const field of all.filter((one) => one.matches('.field'))) {
    const [label, input] = ['label:not(.sr), .label', 'input, select, textarea'].map((selector) => field.querySelector(selector)?.getBoundingClientRect());
    if (label === undefined || input === undefined || field.querySelector('.options, .composer') !== null) continue;
    const isBeside = label.right < input.left && Math.abs(label.top + label.bottom - input.top - input.bottom) < 6;
    if (!isBeside && (Math.abs(label.left - input.left) > 1 || label.bottom > input.top + 1)) problems.push('not aligned: ' + nameOf(field));
  }
  for (const grid of all.filter((one) => one.matches('.two, .three, .fit'))) {
    const byTop = Map.groupBy([...grid.querySelectorAll(':scope > .field:not(:has(.options))')], (one) => Math.round(one.getBoundingClientRect().top));
    for (const row of byTop.values()) {
      const tops = row.map((one) => Math.round(one.querySelector('input, select, textarea').getBoundingClientRect().top));
      if (new Set(tops).size > 1) problems.push('a row is not aligned: ' + row.map(nameOf));
    }
  }

  for (const area of all.filter((one) => one.matches('textarea'))) {
    const box = area.closest('.aside > .stack, td, form');
    const { paddingLeft, paddingRight } = getComputedStyle(box);
    const inner = box.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    if (area.offsetWidth < 0.9 * inner) problems.push('narrow: ' + area.offsetWidth + ' of ' + inner + ' px: ' + nameOf(area));
  }
  for (const control of controls.filter((one) => one.closest('.skip') === null)) {
    const { left, right, width, height } = control.getBoundingClientRect();
    if (!scrolls(control) && (left < -1 || right > innerWidth + 1)) problems.push('control out of view: ' + nameOf(control));
    if (control.matches('input, select') && height > 120) problems.push('stretched: ' + width + ' x ' + height + ': ' + nameOf(control));
  }

  // Points that fingers hit: 24 px, or a line of text, or a label around it.
  for (const control of controls.filter((one) => one.matches('button, select, summary, input, .button') && one.closest('label, .sr, .skip') === null)) {
    const { width, height } = control.getBoundingClientRect();
    if (innerWidth <= 720 && control.matches('.tiny') && height < 36) problems.push('low for fingers: ' + height + ': ' + nameOf(control));
    if (width < 24 || height < 24) problems.push('small target: ' + width + ' x ' + height + ': ' + nameOf(control));
  }
  if (innerWidth > 720)
    for (const row of all.filter((one) => one.matches('.bugs tbody tr'))) {
      const summary = row.querySelector('.summary');
      // A long summary, or a reason, takes lines of its own.
      const isLong = summary !== null && summary.querySelector('a, .bone').getBoundingClientRect().height > 26;
      if (row.offsetHeight > 35 && !isLong && row.querySelector('.problem, .tag') === null) problems.push('high row: ' + row.offsetHeight + ': ' + nameOf(row));
    }
  if (matchMedia('(prefers-color-scheme: dark)').matches === (getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)')) problems.push('not of the scheme');

  // What is cut ends in points, which only the box that has the text itself draws.
  for (const one of all.filter((cell) => cell.matches('td, td :not(.sr)') && cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflowX === 'hidden'))
    if (getComputedStyle(one).textOverflow !== 'ellipsis' || [...one.children].some((child) => /inline-|flex/.test(getComputedStyle(child).display) && child.offsetWidth > one.clientWidth)) problems.push('cut without points: ' + nameOf(one));
  for (const one of all.filter((cell) => cell.matches('.bugs td') && getComputedStyle(cell).overflowX === 'visible' && cell.scrollWidth > cell.clientWidth + 1)) problems.push('runs into the next cell: ' + nameOf(one));
  for (const table of all.filter((one) => one.matches('table'))) {
    const weights = new Set([...table.querySelectorAll('thead th:not(.pick)')].map((one) => getComputedStyle(one.querySelector('a') ?? one).fontWeight));
    if (weights.size > 1) problems.push('heads of several weights: ' + nameOf(table));
  }
  for (const one of all.filter((bar) => bar.matches('.bulk, .actions, .phone-bar'))) {
    const { bottom } = one.getBoundingClientRect();
    if (bottom > innerHeight + 1 || (one.matches('.bulk') && bottom < innerHeight - 1)) problems.push('not at the foot of the window: ' + nameOf(one));
  }
  for (const one of all.filter((select) => select.matches('select:not([multiple])'))) {
    const free = one.cloneNode(true);
    free.style.cssText = 'position: absolute; width: max-content; max-width: none';
    one.after(free);
    if (free.offsetWidth > one.offsetWidth + 1 && one.closest('.field') === null) problems.push('choices are cut: ' + one.offsetWidth + ' of ' + free.offsetWidth + ': ' + nameOf(one));
    free.remove();
  }
  for (const one of all.filter((legend) => legend.matches('legend:not(.sr)')))
    if (getComputedStyle(one.parentElement).borderTopWidth !== '0px' && getComputedStyle(one).float === 'none') problems.push('a line crosses the head: ' + nameOf(one));

  const fonts = new Set(all.filter((one) => one.matches('input, select, textarea, button')).map((one) => getComputedStyle(one).fontFamily));
  if (fonts.size > 1) problems.push('fonts: ' + [...fonts].join(' | '));

  const hasText = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  for (const one of all.filter(hasText)) {
    const { fontSize } = getComputedStyle(one);
    if (Number.parseFloat(fontSize) < 12 && one.closest('.face, .same thead') === null) problems.push('small text (' + fontSize + '): ' + nameOf(one));
    const { left, right } = one.getBoundingClientRect();
    const isAside = one.closest('.skip, option, select') !== null || scrolls(one);
    if (!isAside && (left < -1 || right > innerWidth + 1)) problems.push('out of view: ' + nameOf(one));
  }
  for (const one of all) {
    const { overflowX, clipPath, textOverflow } = getComputedStyle(one);
    // What only screen readers say is clipped on purpose.
    const isClipped = clipPath === 'none' && textOverflow === 'clip' && overflowX !== 'auto' && (overflowX !== 'visible' || one.matches('button, select'));
    if (isClipped && !one.matches('input, textarea') && one.scrollWidth > one.clientWidth + 1) problems.push('clipped: ' + nameOf(one));
    const parent = one.parentElement.getBoundingClientRect();
    if (one.matches('.field *, .tag') && one.getBoundingClientRect().right > parent.right + 1) problems.push('wider than what it is in: ' + nameOf(one));
    if (one.matches('[role="alert"]:not(.problem), .chip') && one.textContent === '' && one.offsetHeight > 0 && getComputedStyle(one).borderLeftWidth !== '0px') problems.push('empty, but drawn: ' + nameOf(one));
    if (one.matches('.chip') && one.offsetHeight > 2.7 * Number.parseFloat(getComputedStyle(one).fontSize) * Math.max(1, one.getClientRects().length) && one.textContent.length < 20) problems.push('stretched: ' + nameOf(one));
  }
  return problems;
})()`;

/** A script that gives each kind of control the focus, and says which has no ring then: its own, or that of the box around it. */
const RINGS = `(() => {
  const kinds = Map.groupBy([...document.querySelectorAll('a, button, input, select, textarea, summary')].filter((one) => one.checkVisibility() && one.getClientRects().length > 0), (one) => one.tagName + one.type + one.className);
  const hasRing = (one) => one !== null && ((style) => Number.parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== 'none')(getComputedStyle(one));
  const hasShadow = (one) => one !== null && getComputedStyle(one).boxShadow !== 'none';
  return [...kinds.values()].flatMap(([one]) => {
    one.focus();
    if (document.activeElement !== one) return [];
    const isSeen = Number(getComputedStyle(one).opacity) > 0;
    return isSeen && (hasRing(one) || hasRing(one.closest('label')) || hasShadow(one.closest('.composer'))) ? [] : ['no ring: ' + one.outerHTML.slice(0, 90)];
  });
})()`;

/** A script that scrolls a list through a low window, and says where its heads are not at the top of it. */
const HEADS = `(() => {
  const table = document.querySelector('.bugs:not(.same)');
  const head = table?.querySelector('thead th.summary');
  if (!head?.checkVisibility()) return [];
  const place = table.getBoundingClientRect().bottom + scrollY - 100;
  scrollTo(0, place);
  if (scrollY < place - 1) return [];
  const { top } = head.getBoundingClientRect();
  scrollTo(0, 0);
  return Math.abs(top) > 1 ? ['heads are at ' + top] : [];
})()`;

const PAGES = join(import.meta.dirname, '../../functions/explorer/pages');
const CSS = readFileSync(join(PAGES, 'design.css'), 'utf8');

/** Sections of the style that belong to one page, by the beginning of their headings. */
const OWNERS: Readonly<Record<string, string>> = {
  '8 Bug': '/show_bug.cgi',
  '9 Timeline': '/show_bug.cgi',
  '11 Home': '/',
};
/** What stands in these sections, and other pages use on purpose: the way up, texts, files, lists of products. */
const SHARED = /\.(crumbs|prose|file|thumb|products|transition)\b/;

/** The selectors of the sections that belong to other pages than the one at a path. */
const selectorsOfOthers = (path: string): string[] =>
  CSS.split('/* ---- ').flatMap((section) => {
    const owner = Object.entries(OWNERS).find(([heading]) => section.startsWith(heading));
    if (owner === undefined || owner[1] === path.replace(/[?#].*/, '')) return [];
    const rules = section.replaceAll(/\/\*[\s\S]*?\*\//g, '').split('}');
    const selectors = rules.map((rule) => (rule.split('{')[0] ?? '').trim());
    return selectors.filter((one) => one.startsWith('.') && !SHARED.test(one) && !one.includes('::'));
  });

it('each class of the style is that of an element', () => {
  const modules = readdirSync(PAGES)
    .filter((name) => /\.(js|html)$/.test(name) && !name.startsWith('api.'))
    .map((name) => readFileSync(join(PAGES, name), 'utf8'))
    .join('\n');
  const classes = new Set(CSS.replaceAll(/\/\*[\s\S]*?\*\/|\{[^{}]*\}/g, ' ').match(/(?<=\.)[a-z][\w-]*/g));
  expect([...classes].filter((name) => !new RegExp(`["'\`\\s]${name}["'\`\\s]`).test(modules))).toEqual([]);
});

/** Pages of each kind, for Firefox ESR, which says that nothing hovers, as tablets do; it cannot be told another scheme. */
const SOME_STATES = PAGE_STATES.filter(({ name }) => /^(home|bug|bug-edit|list|new|search)$/.test(name));
const BROWSERS = [
  ['Chromium', hasBrowser, startBrowser, {}, ['light', 'dark'], PAGE_STATES],
  ['Firefox ESR', hasFirefox, startFirefox, NO_MEDIA, [null], SOME_STATES],
] as const;

for (const [browser, has, start, options, schemes, states] of BROWSERS)
  describe.skipIf(!has())(`the layout of a page in ${browser}`, () => {
    const pages = usePages(start, options);

    it.each(states)('$name', async (state) => {
      const { page } = pages;
      const { name, path, isWide } = state;
      await openState(state, pages);
      // A class has one meaning: no rule of one page is for an element of another.
      const strays = selectorsOfOthers(path);
      expect(
        await page.evaluate(
          `${JSON.stringify(strays)}.filter((one) => document.querySelector(one) !== null)`,
        ),
      ).toEqual([]);
      const isProblem = /error|wrong/.test(name);
      expect((await page.locator('main [role=alert]:not(:empty)').count()) > 0).toBe(isProblem);
      await page.setViewportSize({ width: 1440, height: 200 });
      expect(await page.evaluate(HEADS)).toEqual([]);
      for (const width of isWide ? [1440, 1024] : [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of schemes) {
          if (colorScheme !== null) await page.emulateMedia({ colorScheme });
          expect(await page.evaluate(LOOK), `${width} px, ${colorScheme}`).toEqual([]);
          if (width !== 1024)
            expect(await pages.accessibilityViolations(), `${width} px, ${colorScheme}`).toEqual([]);
        }
      }
      // What follows a key is drawn as by one.
      await page.keyboard.press('Shift+Tab');
      expect(await page.evaluate(RINGS)).toEqual([]);
    });
  });
