import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';
import { isLong } from '../support/sample.ts';

const KEY = 'AdminDemoKey0000000000000000000000000000';
const ME = 'admin@bugless.example';
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a reader does by mouse; each of these, and each text that is entered, is an action. */
class Hand {
  readonly page: Page;
  actions = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator | string) {
    this.actions += 1;
    const target = typeof what === 'string' ? this.button(what) : what;
    await this.reach(target);
    await this.press(target);
  }
  async enterInto(input: Locator, text: string) {
    this.actions += 1;
    await this.reach(input);
    await input.fill(text);
  }
  fill = (label: string, text: string) => this.enterInto(this.field(label), text);
  async choose(label: string, value: string) {
    this.actions += 1;
    await this.reach(this.field(label));
    await this.field(label).selectOption(value);
  }
  async set(label: string, isOn: boolean) {
    this.actions += 1;
    await this.reach(this.field(label));
    await this.field(label).setChecked(isOn);
  }
  /** Chooses one of several. */
  async pick(radio: Locator) {
    this.actions += 1;
    await radio.check();
  }
  async enter() {
    this.actions += 1;
    await this.page.keyboard.press('Enter');
  }
  async attach(name: string, mimeType: string, base64: string) {
    this.actions += 1;
    const file = { name, mimeType, buffer: Buffer.from(base64, 'base64') };
    await this.field('Attach files').setInputFiles(file);
    await this.page.getByText(`Description of ${name}`).waitFor();
  }

  /** Goes to a control before it is used. */
  async reach(_control: Locator) {}
  press = (control: Locator): Promise<void> => control.click();

  button = (name: string) => this.page.getByRole('button', { name, exact: true }).first();
  link = (name: string | RegExp) => this.page.getByRole('link', { name }).first();
  field = (label: string) => this.page.getByLabel(label, { exact: true });
  summary = (text: string) => this.page.locator('summary', { hasText: text }).first();
  /** A menu of the bar of selected bugs. */
  menu = (name: string) => this.page.locator('.bulk summary', { hasText: name });
  said = (text: string) => this.page.locator('#notice').getByText(text).waitFor();
  /** A page that a link or a form leads to. */
  async at(pattern: string | RegExp) {
    await this.page.waitForURL(pattern);
    await this.page.locator('main[aria-busy]').waitFor({ state: 'detached' });
  }
}

/** The same by keyboard alone: each control is reached by Tab, or Shift and Tab, from where the focus is. */
class Keyboard extends Hand {
  override async reach(control: Locator) {
    await control.waitFor();
    // The bar of selected bugs is a key away.
    const isInBar = await control.evaluate(IS_IN_BAR);
    if (isInBar && (await this.page.locator('.bulk :focus').count()) === 0)
      await this.page.keyboard.press('e');
    const hasFocus = async () => (await control.and(this.page.locator(':focus')).count()) === 1;
    const key = (await control.evaluate(IS_BEFORE)) ? 'Shift+Tab' : 'Tab';
    for (let tabs = 0; !(await hasFocus()); tabs += 1) {
      expect(tabs).toBeLessThan(MAX_TABS);
      await this.page.keyboard.press(key);
    }
  }
  override press = (_control: Locator): Promise<void> => this.page.keyboard.press('Enter');
  /** Rows are selected by keys. */
  override async set(label: string, isOn: boolean) {
    const [, id] = /^Select bug (\d+)$/.exec(label) ?? [];
    if (id === undefined) return super.set(label, isOn);
    this.actions += 1;
    for (let rows = 0; (await this.page.locator(`tr.here#row-${id}`).count()) === 0; rows += 1) {
      expect(rows).toBeLessThan(MAX_TABS);
      await this.page.keyboard.press('j');
    }
    await this.page.keyboard.press('x');
  }
  /** Tab goes to one of several, arrows to the others. */
  override async pick(radio: Locator) {
    this.actions += 1;
    await radio.waitFor();
    const name = await radio.getAttribute('name');
    const all = this.page.locator(`[name="${name}"]`);
    const chosen = this.page.locator(`[name="${name}"]:checked`);
    await this.reach((await chosen.count()) === 0 ? all.first() : chosen);
    await this.page.keyboard.press('Space');
    for (let count = 0; !(await radio.isChecked()); count += 1) {
      expect(count).toBeLessThan(await all.count());
      await this.page.keyboard.press('ArrowDown');
    }
  }
}
/** On a phone the fields of a bug are folded, which takes an action more. */
class Finger extends Hand {
  override async reach(control: Locator) {
    const digest = this.page.locator('.digest:not([open])');
    const isThere = await control.waitFor({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (isThere || (await digest.count()) === 0) return;
    this.actions += 1;
    await digest.locator('summary').first().click();
  }
}
/** From one control to the next one that is used: beyond it a list or a long bug would be in the way. */
const MAX_TABS = 50;
/** Runs in the page: whether a control is in the bar of selected bugs. */
const IS_IN_BAR = new Function('one', "return one.closest('.bulk') !== null;") as (one: unknown) => boolean;
/** Runs in the page: whether a control is before what has the focus. */
const IS_BEFORE = new Function(
  'one',
  'return (document.activeElement.compareDocumentPosition(one) & 2) !== 0;',
) as (one: unknown) => boolean;

interface Task {
  name: string;
  /** the address where the task begins; absent: the start page. @param id of a new bug */
  from?: (id: number) => string;
  /** clicks, choices, and texts that are entered */
  actions: number;
  walk?: (hand: Hand, id: number) => Promise<void>;
  /** the button that saves it, at the end */
  saves?: string;
  /** what the bug has afterwards */
  becomes?: object;
  /** whether phones fold what it is about, or do not have it */
  onPhone?: 'folded' | 'never';
}

const bug = (id: number) => `/show_bug.cgi?id=${id}`;
/** It is said in the row, at the comment, or at the foot. */
const isSaved = (hand: Hand) =>
  hand.page.locator('.row .done:visible, .entry .just, .toast').first().waitFor();

const NEW = { product: 'Telescope', component: 'Lens', version: '2.0', op_sys: 'All', platform: 'All' };

const TASKS: readonly Task[] = [
  {
    name: 'open a bug by its number',
    actions: 2,
    async walk(hand, id) {
      await hand.fill('Search bugs', String(id));
      await hand.enter();
      await hand.at(`**/show_bug.cgi?id=${id}`);
    },
  },
  {
    name: 'find bugs by words',
    actions: 2,
    async walk(hand) {
      await hand.fill('Search bugs', 'walked');
      await hand.enter();
      await hand.at('**/buglist.cgi?quicksearch=walked');
    },
  },
  {
    name: 'see what is assigned to me',
    onPhone: 'never',
    actions: 1,
    async walk(hand) {
      await hand.click(hand.link('My bugs'));
      await hand.at('**/buglist.cgi?quicksearch=me');
    },
  },
  {
    name: 'file a bug with a picture',
    actions: 7,
    async walk(hand) {
      await hand.click(hand.link('New bug'));
      await hand.at('**/enter_bug.cgi');
      await hand.click(hand.link('Telescope'));
      await hand.at('**/enter_bug.cgi?product=**');
      await hand.pick(hand.page.getByRole('radio', { name: 'Lens' }));
      await hand.fill('Summary', 'Filed on a walk');
      await hand.fill('Description', 'With a picture');
      await hand.attach('dot.png', 'image/png', PNG);
      await hand.click('File the bug');
      await hand.at(/show_bug\.cgi\?id=\d+/);
    },
  },
  {
    name: 'comment',
    from: bug,
    actions: 2,
    async walk(hand) {
      await hand.fill('Comment', 'Seen');
    },
    saves: 'Comment',
    becomes: { comment_count: 2 },
  },
  {
    name: 'reply to a comment',
    from: bug,
    actions: 3,
    async walk(hand) {
      await hand.click(hand.page.getByRole('button', { name: /^Reply/ }).first());
      await hand.fill('Comment', '> text\n\nYes');
    },
    saves: 'Comment',
    becomes: { comment_count: 2 },
  },
  {
    name: 'resolve a bug from its top',
    from: bug,
    actions: 3,
    async walk(hand) {
      await hand.click(hand.page.locator('#change-status'));
      await hand.pick(hand.field('RESOLVED'));
    },
    saves: 'Resolve as FIXED',
    becomes: { status: 'RESOLVED', resolution: 'FIXED' },
  },
  {
    name: 'close a bug as a duplicate',
    from: bug,
    actions: 5,
    async walk(hand) {
      await hand.click(hand.page.locator('#change-status'));
      await hand.pick(hand.field('RESOLVED'));
      await hand.pick(hand.field('DUPLICATE'));
      await hand.fill('Duplicate of', '1');
    },
    saves: 'Resolve as duplicate of 1',
    becomes: { resolution: 'DUPLICATE', dupe_of: 1 },
  },
  {
    name: 'take a bug',
    onPhone: 'folded',
    from: bug,
    actions: 1,
    saves: 'Assign to me',
    becomes: { assigned_to: ME },
  },
  {
    name: 'follow a bug',
    from: bug,
    actions: 1,
    saves: 'Follow',
    becomes: { cc: [ME] },
  },
  {
    name: 'change the priority',
    onPhone: 'folded',
    from: bug,
    actions: 3,
    async walk(hand) {
      await hand.click('Change Priority');
      await hand.choose('Priority', 'Highest');
    },
    saves: 'Save',
    becomes: { priority: 'Highest' },
  },
  {
    name: 'correct the summary',
    from: bug,
    actions: 3,
    async walk(hand) {
      await hand.click('Change Summary');
      await hand.fill('Summary', 'Corrected on a walk');
    },
    saves: 'Save',
    becomes: { summary: 'Corrected on a walk' },
  },
  {
    name: 'ask somebody by a flag',
    onPhone: 'folded',
    from: bug,
    actions: 4,
    async walk(hand) {
      await hand.click('Change Flags');
      await hand.choose('New needinfo', '?');
      await hand.fill('Ask for needinfo', 'dev@bugless.example');
    },
    saves: 'Save',
    becomes: { flags: [{ name: 'needinfo', status: '?', requestee: 'dev@bugless.example' }] },
  },
  {
    name: 'attach a file with a comment',
    from: bug,
    actions: 3,
    async walk(hand) {
      await hand.fill('Comment', 'The log');
      await hand.attach('log.txt', 'text/plain', 'YQ==');
    },
    saves: 'Comment, 1 file',
    becomes: { comment_count: 2 },
  },
  {
    name: 'change ten bugs',
    onPhone: 'never',
    from: () => '/buglist.cgi?whiteboard=walked&limit=10',
    actions: 6,
    async walk(hand) {
      await hand.set('Select all', true);
      await hand.click(hand.menu('Status'));
      await hand.click('RESOLVED FIXED');
      await hand.click(hand.menu('Comment'));
      await hand.enterInto(hand.page.locator('#input-bulk-comment'), 'Done');
      await hand.click('Change 10 bugs');
      await hand.said('10 of 10 bugs changed.');
    },
  },
  {
    name: 'narrow a list by a value',
    from: () => '/buglist.cgi?whiteboard=walked',
    actions: 1,
    async walk(hand) {
      // On a phone a row has the status, not the component.
      await hand.click(hand.page.locator('td a[title^="Only "]:visible').first());
      await hand.at(/buglist\.cgi\?whiteboard=walked&(bug_status|product|priority)=/);
    },
  },
  {
    name: 'save a search, and open it again',
    onPhone: 'never',
    from: () => '/buglist.cgi?whiteboard=walked&limit=3',
    actions: 5,
    async walk(hand) {
      await hand.click(hand.summary('Save search'));
      await hand.fill('Name', 'Of the walk');
      await hand.enter();
      await hand.said('Saved as “Of the walk”.');
      await hand.click(hand.summary('Searches'));
      await hand.click(hand.link('Of the walk'));
      await hand.at('**/buglist.cgi?whiteboard=walked');
      await hand.page.goto(new URL('/userprefs.cgi?tab=saved-searches', hand.page.url()).href);
      await hand.button('Delete … Of the walk').click();
      await hand.button('Delete it Of the walk').click();
      await hand.said('is deleted');
    },
  },
  {
    name: 'get no mails as CC',
    actions: 5,
    async walk(hand) {
      await hand.click(hand.page.locator('.top summary').last());
      await hand.click(hand.link('Preferences'));
      await hand.at('**/userprefs.cgi');
      await hand.click(hand.link('Mail'));
      await hand.at('**/userprefs.cgi?tab=email');
      await hand.set('On the CC list', false);
      await hand.click('Save');
      await hand.said('Your preferences are saved.');
    },
  },
  {
    name: 'give somebody a right',
    from: () => '/admin?tab=people&user=bot%40bugless.example',
    actions: 2,
    async walk(hand) {
      const isOn = await hand.field('canconfirm').isChecked();
      await hand.set('canconfirm', !isOn);
      await hand.click('Save');
      await hand.said('The account is saved.');
    },
  },
  {
    name: 'add a component',
    from: () => '/admin?tab=products&product=1',
    actions: 5,
    async walk(hand) {
      await hand.click('New component');
      const form = hand.page.getByRole('form', { name: 'New component' });
      const fill = (label: string, text: string) =>
        hand.enterInto(form.getByLabel(label, { exact: true }), text);
      await fill('Name', `Walk ${Date.now()}`);
      await fill('Default assignee', 'dev@bugless.example');
      await fill('Description', 'd');
      await hand.click('Create');
      await hand.said('The component is added.');
    },
  },
];

/** Ten new bugs are confirmed, with a high priority; five of them have a low one then, and another component. */
async function triage(hand: Hand, ids: readonly number[]) {
  const select = (from: number, to: number) =>
    ids.slice(from, to).reduce(async (before, id) => {
      await before;
      await hand.set(`Select bug ${id}`, true);
    }, Promise.resolve());
  const choose = async (field: string, value: string) => {
    await hand.click(hand.menu(field));
    await hand.click(value);
  };
  await hand.set('Select all', true);
  await choose('Status', 'CONFIRMED');
  await choose('Priority', 'High');
  await hand.click('Change 10 bugs');
  await hand.said('10 of 10 bugs changed.');
  await select(5, 10);
  await choose('Priority', 'Low');
  await choose('Component', 'Mount');
  await hand.click('Change 5 bugs');
  await hand.said('5 of 5 bugs changed.');
}

/** A run with `RUNS` walks by keyboard and on a phone, too. */
const WAYS = [
  ['mouse', 1280],
  ['mouse', 390],
  ['keyboard', 1280],
] as const;

describe.skipIf(!hasBrowser()).each(isLong ? WAYS : WAYS.slice(0, 1))(
  'a walk of everyday tasks by %s at %i px',
  (by, width) => {
    const pages = usePages(undefined, { viewport: { width, height: 900 } });

    async function newBug(): Promise<number> {
      const about = { summary: 'Walked', whiteboard: 'walked', description: 'text' };
      const body = { ...NEW, ...about, assigned_to: 'dev@bugless.example' };
      return (await pages.bugless.call('POST', '/rest/bug', { key: KEY, body })).body.id;
    }

    it.skipIf(width < 720)('triage of ten new bugs: at most 25 actions and 3 page loads', async () => {
      const { page, open, bugless } = pages;
      const body = { ...NEW, summary: 'New', whiteboard: 'triage' };
      const key = 'ReporterDemoKey0000000000000000000000000';
      const ids: number[] = [];
      for (let count = 0; count < 10; count += 1) {
        ids.push((await bugless.call('POST', '/rest/bug', { key, body })).body.id);
      }
      await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), KEY);
      await open('/buglist.cgi?whiteboard=triage&order=bug_id');
      let loads = 0;
      page.on('request', (request) => {
        if (request.isNavigationRequest()) loads += 1;
      });
      const hand = by === 'mouse' ? new Hand(page) : new Keyboard(page);
      await triage(hand, ids);
      console.log(`triage by ${by}: ${hand.actions} actions, ${loads} page loads`);
      expect(hand.actions).toBeLessThanOrEqual(25);
      expect(loads).toBeLessThanOrEqual(3);
      const { body: found } = await bugless.call('GET', `/rest/bug?id=${ids.join()}`, { key: KEY });
      expect(
        found.bugs.map((one: { priority: string; status: string }) => `${one.status} ${one.priority}`),
      ).toEqual(ids.map((_, index) => `CONFIRMED ${index < 5 ? 'High' : 'Low'}`));
    });

    const tasks = TASKS.filter(({ onPhone }) => width > 720 || onPhone !== 'never');
    it.each(tasks)(
      '$name: $actions actions',
      async ({ name, from, actions, walk, saves, becomes, onPhone }) => {
        const { page, open, bugless } = pages;
        const bugs = await Promise.all(Array.from({ length: name === 'change ten bugs' ? 10 : 1 }, newBug));
        const [id = 0] = bugs;
        await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), KEY);
        await open(from?.(id) ?? '/');
        const isPhone = width < 720;
        const hand = by === 'keyboard' ? new Keyboard(page) : isPhone ? new Finger(page) : new Hand(page);
        await walk?.(hand, id);
        if (saves !== undefined) await hand.click(saves).then(() => isSaved(hand));
        expect(hand.actions).toBe(actions + (isPhone && onPhone === 'folded' ? 1 : 0));
        if (becomes === undefined) return;
        const path = `/rest/bug/${id}?include_fields=_default,comment_count`;
        const { body } = await bugless.call('GET', path, { key: KEY });
        expect(body.bugs[0]).toMatchObject(becomes);
      },
    );
  },
);
