import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import type { Bugless } from '../support/bugless.ts';
import { copyBug } from '../support/copy-bug.ts';
import { usePages } from '../support/pages.ts';
import { times } from '../support/times.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';

describe.skipIf(!hasBrowser())('in a browser', () => {
  const pages = usePages();
  const { open, isShown, enterKey } = pages;
  let bugless: Bugless;
  let context: BrowserContext;
  let page: Page;
  beforeEach(() => {
    ({ bugless, context, page } = pages);
  });

  const heading = () => page.getByRole('heading', { level: 1 }).innerText();
  const count = () => page.locator('.head [role=status]').innerText();
  const rows = () => page.locator('tbody tr');
  const comment = (count: number) => page.locator(`#c${count}`);

  it('what fails beside the bug is said in its place', async () => {
    await page.route('**/bug/2/comment*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: '{"error":true,"code":32000,"message":"Busy"}',
      }),
    );
    await open('/show_bug.cgi?id=2');
    await page.getByText('Comments: Busy').waitFor();
    expect(await page.locator('.fields').innerText()).toContain('Mount');
  });

  it('a bug is read: fields, flags, attachments, comments and history', async () => {
    await open('/show_bug.cgi?id=2');
    expect([await heading(), await page.title()]).toEqual([
      'Bug 2 Mount turns west when asked to turn east',
      '2 – Mount turns west when asked to turn east',
    ]);
    const fields = await page.locator('.fields').innerText();
    for (const text of ['Telescope', 'critical', 'needinfo?', 'Build Bot', 'Found in build', '4711']) {
      expect(fields).toContain(text);
    }
    expect(await comment(0).innerText()).toContain("Since yesterday's build east is west.");
    expect(await comment(1).innerText()).toContain('Build Bot');
    await page.getByRole('link', { name: '1 The moon is blurry' }).click();
    await isShown();
    expect(await page.locator('.entry.change').first().innerText()).toContain(
      'Status from UNCONFIRMED to CONFIRMED',
    );
  });

  it('a bug is found by its alias, and a link to a comment shows it', async () => {
    await open('/show_bug.cgi?id=blurry-moon#c3');
    expect(await heading()).toBe('Bug 1 The moon is blurry at the edges');
    expect(await page.locator('article:target').getAttribute('id')).toBe('c3');
  });

  it('an attachment is saved, without and with a key', async () => {
    await open('/show_bug.cgi?id=2');
    const link = page.getByRole('link', { name: 'The log of build 4711', exact: true });
    expect(await link.getAttribute('href')).toBe('attachment.cgi?id=1');
    await enterKey(ADMIN);
    await isShown();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('build-4711.log');
    expect(readFileSync(await download.path(), 'utf8')).toBe('mount: east is west\n');
  });

  it('a search from the start page finds bugs, which can be sorted and opened', async () => {
    await open('/');
    expect(await page.getByRole('link', { name: 'Telescope', exact: true }).count()).toBe(1);
    expect(await rows().count()).toBe(5);
    await page.getByRole('searchbox').fill('product:Telescope');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/buglist.cgi?quicksearch=*');
    await isShown();
    expect([await count(), await rows().count()]).toEqual(['2 bugs', 2]);
    await page.getByRole('link', { name: 'Summary' }).click();
    await isShown();
    expect(await rows().first().innerText()).toContain('Mount');
    await page.getByRole('link', { name: 'Summary' }).click();
    await isShown();
    expect(await page.locator('th[aria-sort=descending]').innerText()).toContain('Summary');
    await rows().first().getByRole('link', { name: 'moon' }).click();
    await isShown();
    expect(await heading()).toBe('Bug 1 The moon is blurry at the edges');
  });

  it('sorting keeps repeated conditions, and shows no credentials', async () => {
    await open(`/buglist.cgi?product=Telescope&product=Abacus&api_key=${ADMIN}&order=Last%20Changed`);
    expect([await count(), await page.locator('.filters').innerText()]).toEqual([
      '3 bugs',
      expect.not.stringContaining(ADMIN),
    ]);
    await page.getByRole('link', { name: 'ID', exact: true }).click();
    await isShown();
    expect([await count(), await rows().first().innerText()]).toEqual([
      '3 bugs',
      expect.stringMatching(/^\s*1\b/),
    ]);
  });

  it('a search for a number opens the bug', async () => {
    await open('/');
    await page.getByRole('searchbox').fill('4');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/show_bug.cgi?id=4');
  });

  it('a list has at most 100 bugs a page, and their number', async () => {
    await copyBug(
      bugless.table,
      times(103, (n) => 10_001 + n),
      { summary: 'Scratch' },
    );
    await open('/buglist.cgi?short_desc=Scratch&short_desc_type=allwordssubstr&limit=500');
    expect([await count(), await rows().count()]).toEqual(['103 bugs', 100]);
    await page.getByRole('link', { name: 'Next' }).click();
    await isShown();
    expect(await rows().count()).toBe(3);
    expect(await page.getByRole('navigation', { name: 'Pages' }).innerText()).toContain('101 to 103 of 103');
  });

  it('a hostile text is text', async () => {
    const html = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const body = {
      ...{ product: 'Telescope', component: 'Lens', version: '2.0', summary: `${html} &amp;` },
      ...{
        whiteboard: html,
        url: 'javascript:alert(3)',
        description: `> ${html}\nhttps://a.example/"onclick=alert(4)`,
      },
    };
    const { body: created } = await bugless.call('POST', '/rest/bug', { key: ADMIN, body });
    await open(`/show_bug.cgi?id=${created.id}`);
    expect(await heading()).toBe(`Bug ${created.id} ${html} &amp;`);
    expect(await comment(0).locator('blockquote').innerText()).toContain(html);
    expect(await page.locator('.fields').innerText()).toContain('javascript:alert(3)');
    expect(
      await page.locator('main :is(img, script, iframe, [onerror], [onclick], [href^=javascript])').count(),
    ).toBe(0);
    await open(`/buglist.cgi?quicksearch=${encodeURIComponent(html)}`);
    expect(await page.locator('main :is(img, script)').count()).toBe(0);
    await open(`/show_bug.cgi?id=${encodeURIComponent(html)}`);
    expect(await page.locator('main :is(img, script)').count()).toBe(0);
  });

  it('comments link to bugs and comments, those of closed bugs struck through', async () => {
    const text = 'As in bug 4 comment 0, see comment 1, attachment 1 and https://example.org/a?b=c.';
    await bugless.call('POST', '/rest/bug/6/comment', { key: ADMIN, body: { comment: text } });
    await open('/show_bug.cgi?id=6');
    const links = comment(1).locator('.prose a');
    expect(
      await links.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('href')])),
    ).toEqual([
      ['bug 4 comment 0', 'show_bug.cgi?id=4#c0'],
      ['comment 1', '#c1'],
      // That of another bug, which its address finds.
      ['attachment 1', 'attachment.cgi?id=1'],
      ['https://example.org/a?b=c', 'https://example.org/a?b=c'],
    ]);
    expect(await links.first().getAttribute('class')).toBe('closed-bug');
    expect(await links.first().getAttribute('title')).toBe('RESOLVED WONTFIX – A bead is missing');
  });

  it('private comments and bugs are shown to those who may see them, until they forget the key', async () => {
    await open('/show_bug.cgi?id=1');
    const badge = page.locator('article').getByText('Private: insiders only', { exact: true });
    expect(await badge.count()).toBe(0);
    await open('/show_bug.cgi?id=3');
    expect(await page.getByRole('alert').first().innerText()).toContain('Bug 3 is not public.');
    const key = page.getByRole('main').getByLabel('API key', { exact: true });
    const use = page.getByRole('main').getByRole('button', { name: 'Use this key' });
    await key.fill('WrongKey00000000000000000000000000000000');
    await use.click();
    await page.getByRole('alert').getByText('not valid').waitFor();
    await key.fill(ADMIN);
    await use.click();
    await expect.poll(heading).toBe('Bug 3 The door opens for any key');
    await page.locator('.notice').getByText('Restricted to security.').waitFor();
    expect(await page.locator('summary', { hasText: 'Ada Admin' }).count()).toBe(1);
    await open('/show_bug.cgi?id=1');
    expect(await badge.count()).toBe(1);
    await page.locator('summary', { hasText: 'Ada Admin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('summary', { hasText: 'Sign in' }).waitFor();
    await expect.poll(() => badge.count()).toBe(0);
  });

  it('of a long bug the newest comments are shown, others on request or by their address', async () => {
    const key = ADMIN;
    const created = await bugless.call('POST', '/rest/bug', {
      key,
      body: {
        product: 'Telescope',
        component: 'Lens',
        version: '2.0',
        summary: 'Long',
        description: 'The description',
      },
    });
    const { id } = created.body;
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    for (let count = 1; count <= 230; count += 1) {
      const comment =
        count === 230 ? Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n') : `text ${count}`;
      await bugless.call('POST', `/rest/bug/${id}/comment`, { key, body: { comment } });
    }
    const counts = async () => {
      const ids = await page
        .locator('article')
        .evaluateAll((all) => all.map((one) => Number(one.id.slice(1))));
      return [ids.length, ids[0], ids[1], ids.at(-1)];
    };
    await open(`/show_bug.cgi?id=${id}`);
    expect(await counts()).toEqual([51, 0, 181, 230]);
    expect(await comment(0).innerText()).toContain('The description');
    expect(await comment(230).innerText()).not.toContain('line 299');
    await page.getByRole('button', { name: '200 more lines' }).click();
    await comment(230).getByText('line 299').waitFor();
    await page.getByText('180 earlier comments').waitFor();
    await page.getByRole('button', { name: 'Show the 50 before' }).click();
    await comment(131).waitFor();
    expect(await counts()).toEqual([101, 0, 131, 230]);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('earlier comments').waitFor({ state: 'detached' });
    expect(await counts()).toEqual([231, 0, 1, 230]);
    await page.goto('about:blank');
    await open(`/show_bug.cgi?id=${id}#c20`);
    expect(await comment(20).innerText()).toContain('text 20');
    expect((await counts())[3]).toBe(45);
    await page.evaluate("location.hash = '#c200'");
    await comment(200).waitFor();
  });

  it('a key may be kept on the device, and is forgotten in all tabs', async () => {
    await open('/');
    await page.locator('summary', { hasText: 'Sign in' }).click();
    await page.locator('header').getByLabel('API key', { exact: true }).fill(ADMIN);
    await page.getByLabel('Keep it on this device').check();
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('link', { name: 'My bugs' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${bugless.url}/show_bug.cgi?id=2`);
    await other.locator('summary', { hasText: 'Admin' }).waitFor();
    await page.locator('summary', { hasText: 'Admin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.locator('summary', { hasText: 'Sign in' }).waitFor();
  });

  it('a list is saved with what the key may see', async () => {
    await open('/page.cgi?id=quicksearch.html');
    await page.evaluate((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    await open('/buglist.cgi?product=Vault&columnlist=short_desc');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByLabel('More')
        .click()
        .then(() => page.getByRole('link', { name: 'CSV' }).click()),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('The door opens for any key');
    await page.getByText('Feed, which has only what everybody may see').waitFor();
  });

  it('a slash goes to the search, and the first tab stop skips to the content', async () => {
    await open('/buglist.cgi?product=Telescope');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to the content');
    await page.keyboard.press('/');
    expect(await page.locator(':focus').getAttribute('name')).toBe('quicksearch');
    await page.getByLabel('More').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^bug_id,"product"/);
  });

  it('a comment that brought an attachment links it, and an image is shown on request', async () => {
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const image = { file_name: 'dot.png', summary: 'A dot', content_type: 'image/png' };
    const attach = async (content: string) => {
      const { body } = await bugless.call('POST', '/rest/bug/2/attachment', {
        key: ADMIN,
        body: { ...image, data: content },
      });
      return Number(body.ids[0]);
    };
    const [id, wrong] = [await attach(data), await attach('bm8gaW1hZ2U=')];
    await open('/show_bug.cgi?id=2');
    const brought = page.locator('article', { hasText: `Attachment ${id}: A dot` });
    expect((await brought.innerText()).match(/A dot|Created attachment/g)).toEqual(['A dot']);
    await brought.getByRole('link', { name: `Attachment ${id}: A dot` }).click();
    const entry = page.locator(`#a${id}`);
    expect(await entry.locator('img').count()).toBe(0);
    await entry.getByRole('button', { name: 'Show the image' }).click();
    await entry.getByAltText('A dot').waitFor();
    await page.locator(`#a${wrong}`).getByRole('button', { name: 'Show the image' }).click();
    await page.locator(`#a${wrong}`).getByText('This is not an image').waitFor();
    await page.goto(`${bugless.url}/attachment.cgi?id=${id}&action=edit`);
    await isShown();
    expect(page.url()).toBe(`${bugless.url}/show_bug.cgi?id=2#a${id}`);
  });

  it('a time is shown with how long ago it is by the clock of the server', async () => {
    const bug = { product: 'Telescope', component: 'Lens', version: '2.0', summary: 'New' };
    const { body } = await bugless.call('POST', '/rest/bug', { key: ADMIN, body: bug });
    const fiveYears = 5 * 366 * 24 * 3_600_000;
    await page.clock.setFixedTime(Date.now() + fiveYears);
    await open(`/show_bug.cgi?id=${body.id}`);
    expect(await comment(0).locator('time').innerText()).toMatch(/minute/);
    expect(await comment(0).locator('time').getAttribute('title')).toMatch(/\d{4}.*\d:\d\d/);
  });

  it('a list has the columns that its address names, and its conditions in words', async () => {
    await open(
      '/buglist.cgi?bug_status=__open__&short_desc=moon&short_desc_type=allwordssubstr&f1=assigned_to&o1=notequals&v1=x&columnlist=reporter,opendate&query_format=advanced',
    );
    expect(await page.locator('thead').innerText()).toMatch(/^ID\s+Reporter\s+Opened\s*$/);
    expect(await page.locator('.condition').allInnerTexts()).toEqual([
      'Status: open',
      'Summary contains all of: moon',
      'Assignee is not x',
    ]);
    await page.getByRole('link', { name: 'Opened' }).click();
    await isShown();
    expect(await page.locator('thead').innerText()).toMatch(/^ID\s+Reporter\s+Opened/);
    await page.setViewportSize({ width: 390, height: 900 });
    await open('/buglist.cgi?bug_status=__open__');
    const [number, summary] = await Promise.all(
      ['id', 'summary'].map(async (name) => (await rows().first().locator(`.${name}`).boundingBox())?.y ?? 0),
    );
    expect(summary).toBeLessThan(number ?? 0);
  });

  it('a list is narrowed by a click on a value, and widened by taking a condition away', async () => {
    await open('/buglist.cgi?bug_status=__open__&priority=High&order=bug_id');
    await page.locator('td.product a').first().click();
    await isShown();
    const product = new URL(page.url()).searchParams.get('product');
    // A column that the condition makes the same everywhere is left out.
    expect([product, await page.locator('td.product').count()]).toEqual([expect.any(String), 0]);
    await page.locator('td.status a').first().click();
    await isShown();
    expect(await page.locator('.condition').count()).toBe(3);
    await page.getByRole('button', { name: 'Without Priority: High' }).click();
    await page.waitForURL((url) => !url.searchParams.has('priority'));
    await isShown();
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()].toSorted()).toEqual(['bug_status', 'order', 'product']);
    expect(searchParams.get('bug_status')).not.toBe('__open__');
  });

  it('each value of a list leads to a list that has its bug', async () => {
    await open('/buglist.cgi?bug_status=__all__&columnlist=all');
    const links = await page.locator('tbody tr').evaluateAll((all) =>
      all.flatMap((row) => {
        const id = Number(row.querySelector('td.id a')?.textContent);
        const values = [...row.querySelectorAll('a[title^="Only "]')];
        return values.map((one) => ({ id, query: one.getAttribute('href')?.split('?')[1] ?? '' }));
      }),
    );
    expect(
      new Set(links.flatMap(({ query }) => [...new URLSearchParams(query).keys()])).size,
    ).toBeGreaterThan(10);
    for (const [query, rows] of Map.groupBy(links, (link) => link.query)) {
      const { body } = await bugless.call('GET', `/rest/bug?${query}&include_fields=id`);
      const bugs = rows.map(({ id }) => ({ id }));
      expect([query, body.bugs]).toEqual([query, expect.arrayContaining(bugs)]);
    }
  });

  it('the columns of a list are chosen, and keep their order', async () => {
    await open('/buglist.cgi?bug_status=__open__&columnlist=reporter,short_desc');
    await page.locator('summary', { hasText: 'Columns' }).click();
    const menu = page.locator('details[open]');
    await menu.getByLabel('Version').check();
    await menu.getByLabel('Summary').uncheck();
    await page.keyboard.press('Escape');
    await page.waitForURL('**columnlist=reporter%2Cversion');
    await isShown();
    expect(await page.locator('thead').innerText()).toMatch(/^ID\s+Reporter\s+Version\s*$/);
  });

  it('each example of the help finds bugs, or says that there are none', async () => {
    await open('/page.cgi?id=quicksearch.html');
    await page.evaluate((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    await open('/page.cgi?id=quicksearch.html');
    const addresses = await page
      .locator('.examples a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(addresses.length).toBeGreaterThan(15);
    // Numbers lead to a bug, which need not be there.
    for (const address of addresses.filter((one) => !/=\d+$/.test(one))) {
      await open(`/${address}`);
      expect(await page.locator('main [role=alert]').count(), address).toBe(0);
    }
  });

  it.each([
    ['moon', [1]],
    ['moon -zzz', [1]],
    ['moon -edges', []],
    ['moon -supplier', []],
    ['moon -"point at the sun"', [1]],
    ['moon -"point at the moon"', []],
    ['me moon', [1]],
    ['assignee:me', []],
    ['ALL cc:me', [1]],
    ['reporter:me moon', []],
    ['turns changed:100y -moon', [2]],
    ['turns changed:1h -moon -turns', []],
    ['-<script>alert(1)</script> moon', [1]],
  ])('the search line reads %s', async (line, ids) => {
    await open('/page.cgi?id=quicksearch.html');
    await page.evaluate((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    await open(`/buglist.cgi?${new URLSearchParams({ quicksearch: line })}`);
    const shown = await page.locator('tbody td.id').allInnerTexts();
    const known = shown.map(Number).filter((id) => id <= 6);
    expect(known.sort()).toEqual(ids);
    expect(await page.locator('main script').count()).toBe(0);
  });

  it.each(['#4', 'bug 4', 'Bug #4'])('the search line leads to a bug: %s', async (line) => {
    await page.goto(`${bugless.url}/buglist.cgi?${new URLSearchParams({ quicksearch: line })}`);
    await page.waitForURL('**/show_bug.cgi?id=4');
  });

  it('the search form keeps how an address compares a person, and until when', async () => {
    const given = {
      email1: 'dev',
      emailtype1: 'notsubstring',
      chfieldfrom: '2020-01-01',
      chfieldto: '2021-01-01',
    };
    await open(`/query.cgi?${new URLSearchParams(given)}`);
    await page.getByRole('form').getByRole('button', { name: 'Search' }).click();
    await page.waitForURL('**/buglist.cgi?*');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(given);
  });

  it('the search form puts conditions and groups of them together, and reads back what an address has', async () => {
    await open(
      '/query.cgi?j_top=OR&f2=OP&j2=OR&n2=1&f4=priority&o4=changedto&v4=High&f6=CP&f9=cc&o9=isempty',
    );
    const search = async () => {
      await page.getByRole('form').getByRole('button', { name: 'Search' }).click();
      await page.waitForURL('**/buglist.cgi?*');
      return new URL(page.url()).search;
    };
    const group = '?j_top=OR&f1=OP&j1=OR&n1=1&f2=priority&o2=changedto&v2=High';
    expect(await search()).toBe(`${group}&f3=CP&f4=cc&o4=isempty`);
    await page.goBack();
    await isShown();
    // By keyboard alone: a condition in the group, and none of the other.
    await page.getByRole('button', { name: 'Condition', exact: true }).first().press('Enter');
    const isAt = (name: string) =>
      page
        .locator(':focus')
        .and(page.getByLabel(name, { exact: true }))
        .waitFor();
    await isAt('Field');
    await page.keyboard.type('Whit');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('is');
    await page.keyboard.press('Tab');
    await isAt('Value');
    await page.keyboard.type('optics');
    await page.getByRole('button', { name: 'Without this condition: CC' }).press('Enter');
    await page.locator('#chart-add:focus').waitFor();
    expect(await search()).toBe(`${group}&f3=status_whiteboard&o3=equals&v3=optics&n3=1&f4=CP`);
  });

  it('the search form writes an address of Bugzilla, and reads it back with what it has no input for', async () => {
    const hostile = '"><script>alert(1)</script>';
    await open('/page.cgi?id=quicksearch.html');
    await page.evaluate((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    await open(
      `/query.cgi?${new URLSearchParams({ f1: 'status_whiteboard', o1: 'notequals', v1: hostile, limit: '5' })}`,
    );
    const product = (name: string) => page.getByRole('group', { name: 'Product' }).getByLabel(name);
    await product('Telescope').check();
    await product('Abacus').check();
    await page.getByLabel('Words in the summary or a comment').fill('moon');
    await page.getByLabel('Person').fill('me');
    await page.getByLabel('Assignee').uncheck();
    await page.getByLabel('CC').check();
    await page.getByLabel('Changed since').fill('2020-01-01');
    await page.getByRole('form').getByRole('button', { name: 'Search' }).click();
    await page.waitForURL('**/buglist.cgi?*');
    await isShown();
    expect([...new URL(page.url()).searchParams]).toEqual([
      ['content', 'moon'],
      ['product', 'Telescope'],
      ['product', 'Abacus'],
      ['email1', '%user%'],
      ['emailcc1', '1'],
      ['chfieldfrom', '2020-01-01'],
      ['f1', 'status_whiteboard'],
      ['o1', 'notequals'],
      ['v1', hostile],
      ['emailtype1', 'exact'],
      ['chfieldto', 'Now'],
    ]);
    expect(await page.locator('tbody td.id').allInnerTexts()).toEqual(['1']);
    await page.getByLabel('More').click();
    await page.getByRole('link', { name: 'Edit this search in the form' }).click();
    await page.getByLabel('Person').waitFor();
    expect(await page.getByLabel('Person').inputValue()).toBe('me');
    expect(await page.getByLabel('CC').isChecked()).toBe(true);
    expect(await page.getByLabel('Assignee').isChecked()).toBe(false);
    expect([await product('Telescope').isChecked(), await product('Vault').isChecked()]).toEqual([
      true,
      false,
    ]);
    expect(await page.locator('main script').count()).toBe(0);
  });

  it('what a search line lacks is said with the help beside it', async () => {
    await open(`/buglist.cgi?${new URLSearchParams({ quicksearch: 'moon "not closed' })}`);
    expect(await page.locator('main [role=alert]').count()).toBe(1);
    expect(await page.locator('.examples a').count()).toBeGreaterThan(15);
  });

  it('of people on CC 8 are shown, and others on request', async () => {
    const cc = Array.from({ length: 30 }, (_, n) => `cc${n}@example.com`);
    for (const email of cc) await bugless.call('POST', '/rest/user', { key: ADMIN, body: { email } });
    const changed = await bugless.call('PUT', '/rest/bug/2', { key: ADMIN, body: { cc: { add: cc } } });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    await open('/show_bug.cgi?id=2');
    const row = page.locator('dl > div', { hasText: 'cc0' });
    expect(await row.locator('.who').count()).toBe(8);
    await row.getByRole('button', { name: 'more' }).click();
    await expect.poll(() => row.locator('.who').count()).toBeGreaterThanOrEqual(30);
  });

  it('requests of flags are listed: of the reader and by the reader, of one of these, or all', async () => {
    await page.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), ADMIN);
    const flags = [{ name: 'needinfo', status: '?', requestee: 'admin@bugless.example', new: true }];
    await bugless.call('PUT', '/rest/bug/1', { key: ADMIN, body: { flags } });
    await open('/request.cgi');
    const own = page.locator('tbody tr', { hasText: 'The moon is blurry' });
    await own.getByText('needinfo?').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.waitForURL('**/request.cgi?requestee=&requester=');
    await isShown();
    await page.locator('tbody tr', { hasText: 'Mount turns west' }).first().waitFor();
    await page.getByRole('link', { name: 'Asked by you', exact: true }).click();
    await page.waitForURL('**/request.cgi?requester=%25user%25');
    await isShown();
    expect(await rows().count()).toBeGreaterThan(0);
    await own.getByRole('link', { name: 'The moon is blurry' }).click();
    await page.waitForURL('**/show_bug.cgi?id=1');
  });

  it('a bug is printed with its fields, also from a narrow window, and without what is for writing', async () => {
    await page.setViewportSize({ width: 700, height: 900 });
    await open('/show_bug.cgi?id=1');
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: 'print' });
    await page.locator('.fields').getByText('Lens', { exact: true }).waitFor();
    expect(await page.locator(':is(.top, .pen, .composer, .phone-bar):visible').count()).toBe(0);
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('time'), '::after').content"),
    ).toContain('2026');
    // Each once: the exact one.
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('time')].filter((one) => getComputedStyle(one).fontSize !== '0px').length",
      ),
    ).toBe(0);
  });

  it('without scripts the text of the server is read, a list has its rows, and searching works', async () => {
    const plain = await context.browser()?.newContext({ javaScriptEnabled: false });
    const other = await plain?.newPage();
    await other?.goto(`${bugless.url}/show_bug.cgi?id=1`);
    await other?.getByText('It is blurry. It should be sharp.').waitFor();
    await other?.getByRole('searchbox').fill('moon');
    await other?.keyboard.press('Enter');
    await other?.waitForURL('**/rest/bugless/list.html?quicksearch=moon');
    await other?.getByRole('link', { name: 'The moon is blurry at the edges' }).click();
    await other?.waitForURL('**/show_bug.cgi?id=1');
    await other?.locator('main').getByText('It is blurry. It should be sharp.').waitFor();
    await plain?.close();
  });

  it('a bug that does not exist says so', async () => {
    await open('/show_bug.cgi?id=9999');
    expect(await page.getByRole('alert').innerText()).toContain('9999');
    await open('/show_bug.cgi');
    expect(await page.getByRole('alert').innerText()).not.toBe('');
  });
});
