import { describe, expect, it } from 'vitest';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { hasBrowser } from '../support/browser.ts';
import { startBugless } from '../support/bugless.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';
const DEV = 'DevDemoKey000000000000000000000000000000';
const BOT = 'BotDemoKey000000000000000000000000000000';

/** Serves the demo; bugs of Telescope may be restricted to two groups. */
const withGroups = (demo: CatalogueSource) =>
  startBugless({
    ...demo,
    products: demo.products.map((product) =>
      product.name === 'Telescope' ? { ...product, group_controls: GROUP_CONTROLS } : product,
    ),
  });
const GROUP_CONTROLS = ['security', 'packagers'].map((group) => ({
  group,
  entry: false,
  membercontrol: 'SHOWN' as const,
  canedit: false,
}));

describe.skipIf(!hasBrowser())('writing in a browser', () => {
  const pages = usePages(undefined, {}, withGroups);

  /** Opens a page with a key. */
  async function openAs(key: string, path: string) {
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.page.evaluate((value) => sessionStorage.setItem('bugless-api-key', value), key);
    await pages.open(path);
  }

  /** Reads or writes by REST. */
  async function rest(path: string, options: { method?: string; key?: string; body?: object } = {}) {
    const { method = 'GET', key = ADMIN, body } = options;
    const response = await fetch(`${pages.bugless.url}/rest/${path}`, {
      method,
      headers: { 'X-BUGZILLA-API-KEY': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes
    return (await response.json()) as any;
  }

  /** A new bug of the demo, for one test. */
  async function newBug(more: object = {}): Promise<number> {
    const bug = { product: 'Telescope', component: 'Lens', version: '2.0', summary: 'For a test' };
    const { id } = await rest('bug', { method: 'POST', body: { ...bug, description: 'text', ...more } });
    return id;
  }

  const lastComment = async (id: number) => {
    const { bugs } = await rest(`bug/${id}/comment?order=newest&limit=1`);
    return bugs[id].comments[0];
  };

  const press = (name: string) => pages.page.getByRole('button', { name, exact: true }).click();
  const isSaved = () => pages.page.getByRole('status').getByText('Saved.').waitFor();

  it('a comment is written by keyboard alone, and announced', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.getByRole('button', { name: 'Comment', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#input-comment:focus').waitFor();
    await page.keyboard.type('Seen <b>here</b>, too.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    for (let tabs = 0; tabs < 2; tabs += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({
      text: 'Seen <b>here</b>, too.',
      is_private: true,
      count: 1,
    });
    expect(await page.locator('#c1 .comment-text').innerText()).toContain('<b>here</b>');
    expect(await page.evaluate('document.activeElement.id')).toBe('notice');
  });

  it('that something was saved is not said any more when the next save fails', async () => {
    const { page } = pages;
    await openAs(DEV, `/show_bug.cgi?id=${await newBug()}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Saved');
    await press('Save');
    await isSaved();
    await press('Comment');
    await page.route('**/comment', (route) => route.abort());
    await page.getByLabel('Comment', { exact: true }).fill('Not saved');
    await press('Save');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    expect(await page.getByText('Saved.').count()).toBe(0);
    await press('Discard');
  });

  it('changes have the labels of fields, and stand below the description', async () => {
    const { page } = pages;
    const id = await newBug({ cf_build: '1', flags: [{ name: 'needinfo', status: '?' }] });
    await rest(`bug/${id}`, {
      method: 'PUT',
      body: { cf_build: '2', qa_contact: 'dev@bugless.example', flags: [{ name: 'needinfo', status: 'X' }] },
    });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    const entries = page.locator('section.timeline > :is(article, .change)');
    expect(await entries.first().getAttribute('id')).toBe('c0');
    expect(await entries.last().innerText()).toMatch(/QA contact:.*[\s\S]*Flags:|Flags:[\s\S]*QA contact:/);
    expect(await entries.last().innerText()).toContain('Found in build:');
  });

  it('a double click sends a comment once', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Once');
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await isSaved();
    expect((await lastComment(id)).count).toBe(1);
  });

  it('fields, flags and CC are changed, and only what was changed is sent', async () => {
    const { page } = pages;
    const id = await newBug({ cc: ['guard@bugless.example'] });
    await openAs(ADMIN, `/show_bug.cgi?id=${id}`);
    await press('Change fields');
    await page.getByLabel('Priority', { exact: true }).selectOption('Highest');
    await page.getByLabel('Keywords', { exact: true }).fill('regression');
    await page.getByLabel('Assignee', { exact: true }).fill('guard@bugless.example');
    await page.getByLabel('Add to CC').fill('dev@bugless.example');
    await page.getByText('Remove from CC (1)').click();
    await page.getByLabel('guard@bugless.example').check();
    await page.getByLabel('New needinfo').selectOption('?');
    await page.getByLabel('Ask for needinfo').fill('dev@bugless.example');
    await page.getByLabel('Deadline').fill('2027-01-31');
    await page.getByLabel('Estimated hours').fill('1.5');
    await page.getByLabel('Hours worked').fill('0.5');
    await page.getByLabel('Comment', { exact: true }).fill('With a comment');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press('Save');
    expect(Object.keys((await sent).postDataJSON()).sort()).toEqual([
      'assigned_to',
      'cc',
      'comment',
      'deadline',
      'estimated_time',
      'flags',
      'keywords',
      'priority',
      'work_time',
    ]);
    await isSaved();
    const { bugs } = await rest(`bug/${id}`);
    expect(bugs[0]).toMatchObject({
      priority: 'Highest',
      keywords: ['regression'],
      assigned_to: 'guard@bugless.example',
      cc: ['dev@bugless.example'],
      deadline: '2027-01-31',
      estimated_time: 1.5,
      flags: [{ name: 'needinfo', status: '?', requestee: 'dev@bugless.example' }],
    });
  });

  it('a bug is closed, as a duplicate, and opened again', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Change fields');
    await page.getByLabel('Status', { exact: true }).selectOption('RESOLVED');
    await page.getByLabel('Resolution', { exact: true }).selectOption('DUPLICATE');
    await press('Save');
    await page.locator('#input-dupe_of:focus').waitFor();
    expect(await page.locator('#input-dupe_of-problem').innerText()).toContain('dupe_of');
    await page.getByLabel('Duplicate of', { exact: true }).fill('1');
    await press('Save');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({
      status: 'RESOLVED',
      resolution: 'DUPLICATE',
      dupe_of: 1,
    });
    await press('Change fields');
    await page.getByLabel('Status', { exact: true }).selectOption('CONFIRMED');
    await press('Save');
    await page.locator('.state.open').waitFor();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({
      status: 'CONFIRMED',
      resolution: '',
      dupe_of: null,
    });
  });

  it('a change that collides shows who changed what, keeps what was typed, and is saved then', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Change fields');
    await page.getByLabel('Whiteboard', { exact: true }).fill('mine');
    await page.getByLabel('Comment', { exact: true }).fill('My reasons');
    await rest(`bug/${id}`, { method: 'PUT', body: { priority: 'Low', comment: { body: 'Meanwhile' } } });
    await press('Save');
    await page.getByRole('alert').getByText('Others changed this bug').waitFor();
    const meanwhile = page.getByRole('region', { name: 'Meanwhile' });
    expect(await meanwhile.innerText()).toMatch(/Ada Admin[\s\S]*Priority[\s\S]*Low[\s\S]*Meanwhile/);
    expect(await page.getByLabel('Priority', { exact: true }).inputValue()).toBe('Low');
    expect(await page.getByLabel('Whiteboard', { exact: true }).inputValue()).toBe('mine');
    await press('Save');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ whiteboard: 'mine', priority: 'Low' });
    expect(await lastComment(id)).toMatchObject({ text: 'My reasons', count: 2 });
  });

  it.each([
    ['Assignee', 'nobody@example.org', 'assigned_to'],
    ['See also', 'no address', 'see_also'],
    ['Depends on', '99999', 'depends_on'],
    ['Alias', '12', 'alias'],
    ['Keywords', 'no-such-keyword', 'keywords'],
    ['Estimated hours', 'many', 'estimated_time'],
    ['Add to CC', 'nobody@example.org', 'cc'],
  ])('a wrong value of %s is named there, and the focus goes to it', async (label, value, name) => {
    const { page } = pages;
    await openAs(ADMIN, `/show_bug.cgi?id=${await newBug()}`);
    await press('Change fields');
    await page.getByLabel(label, { exact: true }).fill(value);
    await press('Save');
    await page.locator(`#input-${name}:focus`).waitFor();
    expect(await page.locator(`#input-${name}-problem`).innerText()).toContain(value.slice(0, 5));
    expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(value);
    await press('Discard');
  });

  it('what the reader may not change is said, and nothing is lost', async () => {
    const { page } = pages;
    const { id } = await rest('bug', {
      method: 'POST',
      key: BOT,
      body: { product: 'Telescope', component: 'Lens', version: '2.0', summary: 'Of the bot' },
    });
    await rest(`bug/${id}`, { method: 'PUT', body: { status: 'CONFIRMED' } });
    await openAs(BOT, `/show_bug.cgi?id=${id}`);
    await press('Change fields');
    await page.getByLabel('Status', { exact: true }).selectOption('IN_PROGRESS');
    expect(await page.getByLabel('Assignee', { exact: true }).count()).toBe(0);
    await page.getByLabel('Comment', { exact: true }).fill('Kept');
    await press('Save');
    await page.locator('#input-status-problem').waitFor();
    expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('Kept');
    await press('Discard');
  });

  const openAction = (name: string) => pages.page.getByRole('button', { name, exact: true });

  it('a bug is resolved from its top in three actions, and only that is sent', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.locator('.bug-heading .state').click();
    await page.getByLabel('Status', { exact: true }).selectOption('RESOLVED FIXED');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press('Save');
    const request = await sent;
    expect(request.postDataJSON()).toEqual({ status: 'RESOLVED', resolution: 'FIXED' });
    expect(request.headers()['if-match']).toMatch(/^"[\d.]+"$/);
    await isSaved();
    expect(await page.locator('.bug-heading .state').innerText()).toBe('RESOLVED FIXED');
    expect(await page.evaluate('document.activeElement.id')).toBe('change-status');
  });

  it('a bug becomes a duplicate by the control of its status, which has what its workflow allows', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Change Status');
    const status = page.getByLabel('Status', { exact: true });
    await status.waitFor();
    const options = await status.locator('option').allInnerTexts();
    expect(options).toEqual(expect.arrayContaining(['CONFIRMED', 'IN_PROGRESS', 'RESOLVED WONTFIX']));
    expect(options.join()).not.toContain('VERIFIED');
    await status.selectOption('RESOLVED DUPLICATE');
    await page.getByLabel('Duplicate of', { exact: true }).fill('99999');
    await press('Save');
    await page.locator('#input-dupe_of-problem').getByText('99999').waitFor();
    await page.getByLabel('Duplicate of', { exact: true }).fill('1');
    await press('Save');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ resolution: 'DUPLICATE', dupe_of: 1 });
  });

  it('fields are changed by keyboard where they are: e opens, Enter saves, Escape leaves', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await openAction('Change Whiteboard').focus();
    await page.keyboard.press('e');
    await page.locator('#input-whiteboard:focus').waitFor();
    await page.keyboard.type('<img src=x onerror=alert(1)>');
    await page.keyboard.press('Enter');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0].whiteboard).toBe('<img src=x onerror=alert(1)>');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('change-whiteboard');
    await page.keyboard.press('e');
    await page.locator('#input-whiteboard:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#change-whiteboard:focus').waitFor();
    await page.mouse.move(0, 0);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('e');
    await page.locator('#input-status:focus').waitFor();
  });

  it.each([
    ['Assignee', 'assigned_to', 'nobody@example.org'],
    ['Depends on', 'depends_on', '99999'],
    ['Summary', 'summary', 's'.repeat(300)],
  ])('what is refused of %s is said there', async (label, name, value) => {
    const { page } = pages;
    await openAs(DEV, `/show_bug.cgi?id=${await newBug()}`);
    await press(`Change ${label}`);
    await page.getByLabel(label, { exact: true }).fill(value);
    await press('Save');
    await page.locator(`#input-${name}-problem`).waitFor();
    expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(value);
    await press('Cancel');
    expect(await page.getByLabel(label, { exact: true }).count()).toBe(0);
  });

  it('a field that others changed meanwhile is saved when that was seen', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Change Priority');
    await page.getByLabel('Priority', { exact: true }).selectOption('Low');
    await rest(`bug/${id}`, { method: 'PUT', body: { whiteboard: 'theirs' } });
    await press('Save');
    await page.getByRole('region', { name: 'Meanwhile' }).getByText('theirs').waitFor();
    await press('Save');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ priority: 'Low', whiteboard: 'theirs' });
  });

  it('a bug is assigned to oneself, and followed, by one click', async () => {
    const id = await newBug({ assigned_to: 'guard@bugless.example' });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Follow');
    await openAction('Unfollow').waitFor();
    await press('Assign to me');
    await isSaved();
    await expect.poll(() => openAction('Assign to me').count()).toBe(0);
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({
      assigned_to: 'dev@bugless.example',
      cc: ['dev@bugless.example'],
    });
    await press('Unfollow');
    await openAction('Follow').waitFor();
    expect((await rest(`bug/${id}`)).bugs[0].cc).toEqual([]);
  });

  it('flags are set where they are', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(BOT, `/show_bug.cgi?id=${id}`);
    await press('Change Flags');
    await page.getByLabel('New needinfo').selectOption('?');
    await press('Save');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0].flags).toMatchObject([{ name: 'needinfo', status: '?' }]);
  });

  it.each([
    ['nobody who is not signed in', undefined, []],
    ['somebody else', BOT, ['Change CC', 'Change Flags']],
  ])('controls are shown to who may change a field: %s', async (_, key, names) => {
    const { page } = pages;
    const path = `/show_bug.cgi?id=${await newBug()}`;
    await (key === undefined ? pages.open(path) : openAs(key, path));
    const shown = await page
      .locator('.pencil')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(shown).toEqual(names);
    await page.keyboard.press('e');
    expect(await page.getByLabel('Status', { exact: true }).count()).toBe(0);
  });

  it('a reply quotes the comment, is as private as it, and is sent by Ctrl+Enter', async () => {
    const { page } = pages;
    const id = await newBug({ description: 'One\n<b>Two</b>', comment_is_private: true });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Reply to comment 0');
    await page.locator('#input-comment:focus').waitFor();
    const quoted = '(In reply to Ada Admin from comment #0)\n> One\n> <b>Two</b>\n\n';
    expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe(quoted);
    expect(await page.getByLabel('Private').isChecked()).toBe(true);
    await press('Reply to comment 0');
    await expect
      .poll(() => page.getByLabel('Comment', { exact: true }).inputValue())
      .toBe(`${quoted.trimEnd()}\n\n${quoted}`);
    await page.getByLabel('Comment', { exact: true }).fill(`${quoted}I see.`);
    await page.keyboard.press('Control+Enter');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text: `${quoted}I see.`, is_private: true, count: 1 });
    expect(await page.locator('#c1 .quotation').first().innerText()).toBe('> One\n');
  });

  it('a comment and a file go together: one change, one mail', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('What I see');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
    await page.getByLabel('Attach files').setInputFiles([file, { ...file, name: 'b.txt' }]);
    await page.getByLabel('Summary of b.txt').waitFor();
    const path = `**/rest/bug/${id}/attachment`;
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await press('Save');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    await press('Save');
    await isSaved();
    const { bugs } = await rest(`bug/${id}/comment`);
    const texts = bugs[id].comments.map(({ text }: { text: string }) => text);
    expect(texts).toEqual([
      'text',
      expect.stringMatching(/^Created attachment \d+\na.txt\n\nWhat I see$/),
      expect.stringMatching(/^Created attachment \d+\nb.txt$/),
    ]);
    expect(await page.locator('#c1 .comment-text').innerText()).toBe('What I see\n');
  });

  it('an attachment is changed where it is', async () => {
    const { page } = pages;
    const id = await newBug();
    const body = { data: 'YQ==', file_name: 'a.txt', summary: 'Old', content_type: 'text/plain' };
    await rest(`bug/${id}/attachment`, { method: 'POST', body });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Change Old');
    const form = page.getByRole('form', { name: 'Change Old' });
    await form.getByLabel('Summary').fill('');
    await form.getByLabel('Type').fill('no type');
    await form.getByLabel('Summary').fill('<script>alert(1)</script>');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').or(form.locator('.problem')).first().waitFor();
    await form.getByLabel('Type').fill('text/csv');
    await form.getByLabel('Obsolete').check();
    await form.getByRole('button', { name: 'Save' }).click();
    await isSaved();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([
      { summary: '<script>alert(1)</script>', content_type: 'text/csv', is_obsolete: 1, is_private: 0 },
    ]);
    expect(await page.locator('main script').count()).toBe(0);
  });

  it('a picture is shown in the comment that brought it', async () => {
    const { page } = pages;
    const id = await newBug();
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await rest(`bug/${id}/attachment`, {
      method: 'POST',
      body: { data, file_name: 'dot.png', summary: 'A dot', content_type: 'image/png' },
    });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.locator('#c1').getByAltText('A dot').waitFor();
  });

  it('of a long bug the newest comment and the first unread one are linked, and writing is ten tabs away', async () => {
    const { page } = pages;
    const id = await newBug({ assigned_to: 'dev@bugless.example' });
    const comment = (text: string) => rest(`bug/${id}/comment`, { method: 'POST', body: { comment: text } });
    for (let count = 1; count <= 9; count += 1) await comment(`text ${count}`);
    const path = `/show_bug.cgi?id=${id}`;
    const visited = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().includes('last_visit'),
    );
    await openAs(DEV, path);
    await visited;
    // The time of a visit is that of its second.
    const [{ last_visit_ts: visitedAt }] = await rest(`bug_user_last_visit/${id}`, { key: DEV });
    const timeOfNext = async () => {
      await comment('unread');
      return (await lastComment(id)).time;
    };
    await expect.poll(timeOfNext).not.toBe(visitedAt);
    const { count } = await lastComment(id);
    await pages.open(`/buglist.cgi?bug_id=${id}`);
    await page.getByRole('row').getByLabel('Changed since you looked at it').waitFor();
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.open(path);
    expect(await page.getByRole('link', { name: 'Newest comment' }).getAttribute('href')).toBe(`#c${count}`);
    await page.getByRole('link', { name: /First of \d+ unread/ }).click();
    expect(page.url()).toMatch(/#c\d+$/);
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.open(path);
    let tabs = 0;
    while ((await page.evaluate('document.activeElement.textContent')) !== 'Add a comment' && tabs < 30) {
      await page.keyboard.press('Tab');
      tabs += 1;
    }
    expect(tabs).toBeLessThanOrEqual(11);
    await page.keyboard.press('Enter');
    await page.locator('#input-comment:focus').waitFor();
  });

  it('files are chosen, dropped and pasted, and those that are too large are refused before they are read', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    const input = page.getByLabel('Attach files');
    await input.setInputFiles({
      name: 'huge.bin',
      mimeType: 'application/x-huge',
      buffer: Buffer.alloc(1_100_000, 1),
    });
    await page.locator('#attachments-problem').getByText('huge.bin').waitFor();
    await input.setInputFiles({ name: 'fix.patch', mimeType: '', buffer: Buffer.from('--- a\n+++ b\n') });
    for (const [kind, name, transfer] of [
      ['drop', 'a.png', 'dataTransfer'],
      ['paste', 'b.png', 'clipboardData'],
    ] as const) {
      await page.evaluate(`{
        const data = new DataTransfer();
        data.items.add(new File(['bytes'], '${name}', { type: 'image/png' }));
        const event = new Event('${kind}', { bubbles: true, cancelable: true });
        Object.defineProperty(event, '${transfer}', { value: data });
        document.querySelector('form.edit').dispatchEvent(event);
      }`);
      await page.getByLabel(`Summary of ${name}`).waitFor();
    }
    await page.getByLabel('Summary of fix.patch').fill('The fix');
    await press('Save');
    await isSaved();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([
      { summary: 'The fix', file_name: 'fix.patch', is_patch: 1, content_type: 'text/plain' },
      { summary: 'a.png', content_type: 'image/png', is_private: 0 },
      { summary: 'b.png', content_type: 'image/png' },
    ]);
  });

  it('without a connection what was typed stays, and is sent once there is one', async () => {
    const { page, context } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Offline');
    await context.setOffline(true);
    await press('Save');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await context.setOffline(false);
    await press('Save');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text: 'Offline', count: 1 });
  });

  it('a comment whose response was lost is written once', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Once only');
    const path = `**/rest/bug/${id}/comment`;
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await press('Save');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    await press('Save');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text: 'Once only', count: 1 });
  });

  it('a draft is kept on the device, but that of a private comment in the tab; signing out removes both', async () => {
    const { page } = pages;
    const id = await newBug();
    const draftsIn = (storage: 'localStorage' | 'sessionStorage') =>
      page.evaluate<string[]>(`Object.keys(${storage}).filter((key) => key.startsWith('bugless draft'))`);
    page.on('dialog', (dialog) => dialog.accept());
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Not yet');
    expect(await draftsIn('localStorage')).toEqual([`bugless draft dev@bugless.example ${id}`]);
    await page.getByLabel('Private').check();
    expect(await draftsIn('localStorage')).toEqual([]);
    expect(await draftsIn('sessionStorage')).toHaveLength(1);
    await pages.open(`/show_bug.cgi?id=${id}`);
    await page.getByLabel('Comment', { exact: true }).waitFor();
    expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('Not yet');
    await page.locator('header summary').first().click();
    await press('Forget it');
    await page.getByText('To comment, sign in above.').waitFor();
    expect(await draftsIn('sessionStorage')).toEqual([]);
  });

  it('a text that is changed after a lost response is another comment', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Written');
    const path = `**/rest/bug/${id}/comment`;
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await press('Save');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    await page.getByLabel('Comment', { exact: true }).fill('Written again');
    await press('Save');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text: 'Written again', count: 2 });
  });

  it('a private comment makes its files private, unless one is made public by itself', async () => {
    const { page } = pages;
    const id = await newBug();
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).fill('Secret');
    await page.getByLabel('Attach files').setInputFiles(file('before.txt'));
    await page.getByLabel('Summary of before.txt').waitFor();
    await page.locator('#input-private').check();
    await page.getByLabel('Attach files').setInputFiles([file('after.txt'), file('public.txt')]);
    await page.getByLabel('Summary of public.txt').waitFor();
    for (const index of [0, 1, 2]) {
      expect(await page.locator(`#input-attachment-${index}-private`).isChecked()).toBe(true);
    }
    await page.locator('#input-attachment-2-private').uncheck();
    await page.getByLabel('Summary of after.txt').pressSequentially('new ');
    // The comment is written first: what fails then is private, too, when it is sent again.
    const path = `**/rest/bug/${id}/attachment`;
    await page.route(path, (route) => route.abort());
    await press('Save');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    await press('Save');
    await isSaved();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([
      { summary: 'before.txt', is_private: 1 },
      { summary: 'new after.txt', is_private: 1 },
      { summary: 'public.txt', is_private: 0 },
    ]);
  });

  it('files that were chosen stay while another part of the bug is saved', async () => {
    const { page } = pages;
    const id = await newBug({ assigned_to: 'guard@bugless.example' });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Comment');
    const file = { name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('kept') };
    await page.getByLabel('Attach files').setInputFiles(file);
    await page.getByLabel('Summary of kept.txt').waitFor();
    await press('Assign to me');
    await isSaved();
    await expect.poll(() => openAction('Assign to me').count()).toBe(0);
    await page.getByLabel('Summary of kept.txt').waitFor();
    await press('Save');
    await isSaved();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([{ summary: 'kept.txt' }]);
    expect(await page.getByLabel('Summary of kept.txt').count()).toBe(0);
  });

  it('the files of a new bug whose description is private are private', async () => {
    const { page } = pages;
    await openAs(DEV, '/enter_bug.cgi?product=Telescope&component=Lens&version=2.0&short_desc=x&comment=y');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
    await page.getByLabel('Attach files').setInputFiles(file);
    await page.getByLabel('Summary of a.txt').waitFor();
    await page.getByLabel('The description is private').check();
    const { id } = await fileBug();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([{ is_private: 1 }]);
  });

  it('a draft is removed for its own bug only', async () => {
    const { page } = pages;
    await openAs(DEV, '/page.cgi?id=quicksearch.html');
    const keys = ['dev@bugless.example 99', 'dev@bugless.example new Rocket 99', 'dev@bugless.example 199'];
    const names = keys.map((key) => `bugless draft ${key}`);
    await page.evaluate((all) => {
      for (const name of all)
        localStorage.setItem(name, JSON.stringify({ savedAt: Date.now(), content: {} }));
    }, names);
    await pages.open('/show_bug.cgi?id=99');
    const left = await page.evaluate<string[]>(
      `Object.keys(localStorage).filter((key) => key.startsWith('bugless draft'))`,
    );
    expect(left.toSorted()).toEqual(names.slice(1).toSorted());
  });

  it.each([
    ['whose bugs are always restricted stays in the tab', 'Vault', 'sessionStorage'],
    ['whose bugs are not stays on the device', 'Telescope', 'localStorage'],
  ])('a draft of a new bug of a product %s', async (_, product, storage) => {
    const { page } = pages;
    page.on('dialog', (dialog) => dialog.accept());
    await openAs(ADMIN, `/enter_bug.cgi?product=${product}`);
    await page.getByLabel('Summary', { exact: true }).fill('Draft');
    const found = await page.evaluate<string[]>(`['localStorage', 'sessionStorage'].filter((name) =>
      Object.keys(window[name]).some((key) => key.startsWith('bugless draft') && key.includes('${product}')))`);
    expect(found).toEqual([storage]);
    await press('Discard');
  });

  it('leaving with something unsaved asks', async () => {
    const { page } = pages;
    await openAs(DEV, `/show_bug.cgi?id=${await newBug()}`);
    await press('Comment');
    await page.getByLabel('Comment', { exact: true }).pressSequentially('Unsaved');
    const asked = page.waitForEvent('dialog');
    void page.goto(`${pages.bugless.url}/`).catch(() => undefined);
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('Unsaved');
    await press('Discard');
  });

  it('a bug is filed by a form that the address fills in, which a repeated click files once', async () => {
    const { page } = pages;
    const query = new URLSearchParams({
      product: 'Telescope',
      component: 'Lens',
      version: '2.0',
      short_desc: '<script>alert(1)</script>',
      comment: 'Steps:\n1. Look',
      bug_severity: 'major',
      dependson: '1',
      cc: 'guard@bugless.example',
      status_whiteboard: 'w',
      cf_build: '47',
    });
    await openAs(DEV, `/enter_bug.cgi?${query}`);
    expect(await page.getByLabel('Summary', { exact: true }).inputValue()).toBe('<script>alert(1)</script>');
    await page.getByRole('button', { name: 'File the bug' }).dblclick();
    await page.waitForURL('**/show_bug.cgi?id=*');
    await pages.isShown();
    const id = Number(new URL(page.url()).searchParams.get('id'));
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({
      summary: '<script>alert(1)</script>',
      severity: 'major',
      depends_on: [1],
      cc: ['guard@bugless.example'],
      whiteboard: 'w',
      cf_build: '47',
      creator: 'dev@bugless.example',
    });
    expect(
      (await rest(`bug?short_desc=alert(1)&short_desc_type=substring&include_fields=id`)).bugs,
    ).toHaveLength(1);
    expect((await lastComment(id)).text).toBe('Steps:\n1. Look');
  });

  it('a product is chosen first; a wrong value of a new bug is named at its field', async () => {
    const { page } = pages;
    await openAs(DEV, '/enter_bug.cgi?bug_severity=major');
    await page.getByRole('link', { name: 'Telescope' }).click();
    await pages.isShown();
    expect(await page.getByLabel('Severity', { exact: true }).inputValue()).toBe('major');
    await page.getByLabel('Summary', { exact: true }).fill('s'.repeat(300));
    await page.getByLabel('Component', { exact: true }).selectOption('Lens');
    await page.getByLabel('Version', { exact: true }).selectOption('2.0');
    await press('File the bug');
    await page.locator('#input-summary:focus').waitFor();
    expect(await page.locator('#input-summary-problem').innerText()).toContain('255');
    await press('Discard');
  });

  it('what is missing of a new bug is said at once, and its picture is shown before it is sent', async () => {
    const { page } = pages;
    await openAs(DEV, '/enter_bug.cgi?product=Telescope');
    await press('File the bug');
    await page.locator('#input-component:focus').waitFor();
    expect(await page.locator('.problem').allInnerTexts()).toEqual([
      'Component is needed.',
      'Summary is needed.',
    ]);
    expect(await page.getByLabel('Keywords').isVisible()).toBe(false);
    await page.getByText('More fields').click();
    await page.getByLabel('Keywords').fill('regression');
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page
      .getByLabel('Attach files')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') });
    await page.locator('.preview').waitFor();
    await page.getByLabel('Component').selectOption('Lens');
    await page.getByLabel('Summary', { exact: true }).fill('With a picture');
    const { id } = await fileBug();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ keywords: ['regression'], component: 'Lens' });
    expect((await rest(`bug/${id}/attachment?exclude_fields=data`)).bugs[id]).toHaveLength(1);
  });

  it('Discard asks where a file or more than a line would be lost, and then takes all of it', async () => {
    const { page } = pages;
    await openAs(DEV, '/enter_bug.cgi?product=Telescope');
    const file = { name: 'secret.txt', mimeType: 'text/plain', buffer: Buffer.from('secret') };
    await page.getByLabel('Attach files').setInputFiles(file);
    await page.getByLabel('Description', { exact: true }).fill('One\nTwo');
    await press('Discard');
    await page.getByText('Discard text and 1 file?').waitFor();
    await press('Keep');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('One\nTwo');
    await press('Discard');
    await press('Discard');
    expect(await page.getByLabel('Summary of secret.txt').count()).toBe(0);
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Component').selectOption('Lens');
    await page.getByLabel('Summary', { exact: true }).fill('Without a file');
    const { id } = await fileBug();
    expect((await rest(`bug/${id}/attachment`)).bugs[id]).toEqual([]);
  });

  it('a description begins with the template of the product, which neither asks before it is left nor replaces a given text', async () => {
    const { page } = pages;
    const description_template = 'Steps:\n<b>1.</b>';
    await rest('product/Handbook', { method: 'PUT', body: { description_template } });
    await openAs(DEV, '/enter_bug.cgi?product=Handbook');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe(description_template);
    expect(await page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft'))")).toEqual(
      [],
    );
    await pages.open('/enter_bug.cgi?product=Handbook&comment=Given');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('Given');
    await rest('product/Handbook', { method: 'PUT', body: { description_template: '' } });
  });

  it('bugs with words of the summary are shown while it is typed, by one request', async () => {
    const { page } = pages;
    await newBug({ summary: '<b>Eyepiece</b> cannot be focused' });
    await openAs(DEV, '/enter_bug.cgi?product=Telescope');
    const read: string[] = [];
    page.on('request', (request) => request.url().includes('anywordssubstr') && read.push(request.url()));
    await page.getByLabel('Summary', { exact: true }).pressSequentially('The eyepiece is lost');
    await page.locator('.similar a', { hasText: '<b>Eyepiece</b> cannot be focused' }).waitFor();
    expect(read.length).toBeLessThanOrEqual(2);
    expect(await page.locator('.similar b').count()).toBe(0);
    await press('Discard');
  });

  it('who may not change every bug is not asked for what would be ignored', async () => {
    const { page } = pages;
    await openAs(BOT, '/enter_bug.cgi?product=Telescope');
    await page.getByLabel('Severity').waitFor();
    expect(await page.getByLabel('Assignee').count()).toBe(0);
    await press('Discard');
  });

  it('a clone takes over the fields and the description', async () => {
    const { page } = pages;
    await openAs(DEV, '/enter_bug.cgi?cloned_bug_id=1');
    expect(await page.getByLabel('Summary', { exact: true }).inputValue()).toBe(
      'The moon is blurry at the edges',
    );
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toMatch(
      /^\+\+\+ This bug was initially created as a clone of Bug #1 \+\+\+\n\n./,
    );
    expect(await page.getByLabel('Component', { exact: true }).inputValue()).toBe('Lens');
  });

  /** A bug that only the group `security` sees, its description private. */
  const restrictedBug = () =>
    newBug({ groups: ['security'], comment_is_private: true, cc: ['bot@bugless.example'] });

  async function fileBug() {
    const { page } = pages;
    await press('File the bug');
    await page.waitForURL('**/show_bug.cgi?id=*');
    await pages.isShown();
    const id = Number(new URL(page.url()).searchParams.get('id'));
    const { bugs } = await rest(`bug/${id}`);
    return { ...bugs[0], isPrivate: (await lastComment(id)).is_private };
  }

  it.each([
    ['nothing else', '', ['security']],
    ['no groups and no privacy', '&groups=&comment_is_private=0', ['security']],
    ['names of the form itself', '&isPrivate=&widened=security&groups=+&clone=', ['security']],
    ['another group', '&groups=packagers', ['packagers', 'security']],
  ])('a clone is restricted as the bug is, where the address gives %s', async (_, more, groups) => {
    await openAs(ADMIN, `/enter_bug.cgi?cloned_bug_id=${await restrictedBug()}${more}`);
    expect(await pages.page.getByLabel('Only for the group security').isChecked()).toBe(true);
    expect(await pages.page.getByLabel('The description is private').isChecked()).toBe(true);
    expect(await fileBug()).toMatchObject({ groups, isPrivate: true });
  });

  it('a clone is widened by clicks, and its draft stays in the tab', async () => {
    const { page } = pages;
    await openAs(ADMIN, `/enter_bug.cgi?cloned_bug_id=${await restrictedBug()}`);
    await page.getByLabel('Only for the group security').uncheck();
    await page.getByLabel('The description is private').uncheck();
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('draft'))`)).toEqual(
      [],
    );
    expect(await fileBug()).toMatchObject({ groups: [], isPrivate: false });
  });

  it('users are proposed after three letters, by one request', async () => {
    const { page } = pages;
    await openAs(DEV, `/show_bug.cgi?id=${await newBug()}`);
    await press('Change fields');
    let requests = 0;
    await page.route('**/rest/user?match=*', async (route) => {
      requests += 1;
      await route.continue();
    });
    await page.getByLabel('Assignee', { exact: true }).fill('');
    await page.getByLabel('Assignee', { exact: true }).pressSequentially('gua');
    await page
      .locator('#input-assigned_to-people option[value="guard@bugless.example"]')
      .waitFor({ state: 'attached' });
    expect(requests).toBe(1);
    await press('Discard');
  });

  it('ten bugs are changed in five actions; what is refused is said of its bug, which stays selected', async () => {
    const { page } = pages;
    const ids: number[] = [];
    const hostile = '<img src=x onerror=alert(1)>';
    for (let count = 0; count < 10; count += 1) ids.push(await newBug({ whiteboard: 'many' }));
    const [first = 0, ...others] = ids;
    await openAs(DEV, '/buglist.cgi?whiteboard=many');
    await page.getByLabel('Select all').check();
    await press('Change 10 selected');
    await page.getByLabel('Status', { exact: true }).selectOption('IN_PROGRESS');
    await page.getByLabel('Comment', { exact: true }).fill(hostile);
    await press('Change 10 bugs');
    await page.getByRole('status').getByText('10 of 10 bugs changed.').waitFor();
    expect(
      (await rest(`bug?id=${ids.join()}`)).bugs.every(
        (one: { status: string }) => one.status === 'IN_PROGRESS',
      ),
    ).toBe(true);
    await rest(`bug/${first}`, { method: 'PUT', body: { status: 'RESOLVED', resolution: 'FIXED' } });
    await pages.open('/buglist.cgi?whiteboard=many');
    await page.getByLabel('Select all').check();
    await press('Change 10 selected');
    await page.getByLabel('Status', { exact: true }).selectOption('VERIFIED WONTFIX');
    await press('Change 10 bugs');
    await page.locator('#not-changed').waitFor();
    expect(await page.locator('#not-changed li').count()).toBe(9);
    expect(await page.locator('#not-changed').innerText()).toContain('1 of 10 bugs changed.');
    await page.getByRole('button', { name: 'Change 9 bugs' }).waitFor();
    expect(await page.getByLabel(`Select bug ${first}`).isChecked()).toBe(false);
    await page.getByLabel('Assignee').fill(hostile);
    await press('Change 9 bugs');
    await page.locator('#not-changed').getByText(`Bug ${others[0]}:`).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect((await rest(`bug/${first}`)).bugs[0]).toMatchObject({ status: 'VERIFIED', resolution: 'WONTFIX' });
  });

  it('bugs are not changed again where the response of a change was lost', async () => {
    const { page } = pages;
    let sent = 0;
    await page.route(/\/rest\/bug\/\d+$/, async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      sent += 1;
      await route.fetch();
      return route.fulfill({ status: 504, body: '' });
    });
    for (let count = 0; count < 2; count += 1) await newBug({ whiteboard: 'lost' });
    await openAs(DEV, '/buglist.cgi?whiteboard=lost');
    await page.getByLabel('Select all').check();
    await press('Change 2 selected');
    await page.getByLabel('Comment', { exact: true }).fill('Once');
    await press('Change 2 bugs');
    await page.locator('#not-changed').getByText('they may have been changed').waitFor();
    expect(sent).toBe(1);
    expect(await page.locator('#not-changed').innerText()).not.toContain('as they were');
    await page.unroute(/\/rest\/bug\/\d+$/);
  });

  it('tags of a comment are changed by taggers', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.locator('#c0').getByRole('button', { name: 'Tags' }).click();
    await page.getByLabel('Tags').fill('spam later');
    await page.locator('#c0').getByRole('button', { name: 'Save' }).click();
    await page.locator('#c0 .tag').nth(1).waitFor();
    expect((await lastComment(id)).tags).toEqual(['later', 'spam']);
  });

  it.each([
    ['the form of a bug', '/show_bug.cgi?id=1', 'Change fields'],
    ['a new bug', '/enter_bug.cgi?product=Telescope', undefined],
  ])('has no accessibility violations, also at 200 %%: %s', async (_, path, button) => {
    const { page } = pages;
    await openAs(ADMIN, path);
    if (button !== undefined) await press(button);
    await page.getByLabel('Priority', { exact: true }).waitFor();
    expect(await pages.accessibilityViolations()).toEqual([]);
    await page.setViewportSize({ width: 640, height: 450 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(640);
  });
});
