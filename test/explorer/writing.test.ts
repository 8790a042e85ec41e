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
  /** Waits until it is said that something was saved: in its row, at the comment, or at the foot. */
  const isSaved = () => pages.page.locator('.row .done, .entry .just, .toast').first().waitFor();
  /** The form in the row of a field. */
  const row = (label: string) => pages.page.getByRole('form', { name: `Change ${label}` });
  /** Changes a field in its row. */
  async function change(label: string, enter: (form: ReturnType<typeof row>) => Promise<unknown>) {
    await press(`Change ${label}`);
    await enter(row(label));
    await row(label).getByRole('button', { name: 'Save' }).click();
    await row(label).waitFor({ state: 'detached' });
    await isSaved();
  }
  const submit = () => pages.page.locator('#composer [type=submit]').click();
  const comment = () => pages.page.getByLabel('Comment', { exact: true });

  it('a comment is written by keyboard alone, and announced', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.keyboard.press('c');
    await page.locator('#input-comment:focus').waitFor();
    await page.keyboard.type('Seen <b>here</b>, too.');
    for (let tabs = 0; tabs < 2; tabs += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({
      text: 'Seen <b>here</b>, too.',
      is_private: true,
      count: 1,
    });
    expect(await page.locator('#c1 .prose').innerText()).toContain('<b>here</b>');
    expect(await page.evaluate('document.activeElement.id')).toBe('c1');
    expect(await comment().inputValue()).toBe('');
  });

  it('that something was saved is not said where the next save fails', async () => {
    const { page } = pages;
    await openAs(DEV, `/show_bug.cgi?id=${await newBug()}`);
    await comment().fill('Saved');
    await press('Comment');
    await isSaved();
    await page.route('**/comment', (route) => route.abort());
    await comment().fill('Not saved');
    await press('Comment');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    expect(await page.locator('.toast').count()).toBe(0);
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
    const entries = page.locator('section.timeline > .entry');
    expect(await entries.first().getAttribute('id')).toBe('c0');
    expect(await entries.last().innerText()).toMatch(/QA contact[\s\S]*Flags|Flags[\s\S]*QA contact/);
    expect(await entries.last().innerText()).toContain('Found in build from 1 to 2');
  });

  it('a double click sends a comment once', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await comment().fill('Once');
    await page.getByRole('button', { name: 'Comment', exact: true }).dblclick();
    await isSaved();
    expect((await lastComment(id)).count).toBe(1);
  });

  it('each field is changed in its row, and only what was changed is sent', async () => {
    const { page } = pages;
    const id = await newBug({ cc: ['guard@bugless.example'] });
    await openAs(ADMIN, `/show_bug.cgi?id=${id}`);
    const sent: string[] = [];
    page.on(
      'request',
      (request) => request.method() === 'PUT' && sent.push(...Object.keys(request.postDataJSON())),
    );
    await change('Priority', (form) => form.getByLabel('Priority').selectOption('Highest'));
    await change('Keywords', (form) => form.getByLabel('Keywords').fill('regression'));
    await change('Assignee', (form) => form.getByLabel('Assignee').fill('guard@bugless.example'));
    await change('CC', async (form) => {
      await form.getByLabel('Add to CC').fill('dev@bugless.example');
      await form.getByText('Remove from CC (1)').click();
      await form.getByLabel('guard@bugless.example').check();
    });
    await change('Flags', async (form) => {
      await form.getByLabel('New needinfo').selectOption('?');
      await form.getByLabel('Ask for needinfo').fill('dev@bugless.example');
    });
    await change('Deadline', (form) => form.getByLabel('Deadline').fill('2027-01-31'));
    await change('Estimated hours', (form) => form.getByLabel('Estimated hours').fill('1.5'));
    await change('Hours worked', (form) => form.getByLabel('Hours worked').fill('0.5'));
    expect(sent).toEqual([
      'priority',
      'keywords',
      'assigned_to',
      'cc',
      'flags',
      'deadline',
      'estimated_time',
      'work_time',
    ]);
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

  it('a comment that the server is too busy for is sent again, and written once', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    const busy = { status: 503, json: { error: true, code: 32000, message: 'Busy' } };
    await page.route(`**/rest/bug/${id}/comment`, (route) => route.fulfill(busy), { times: 2 });
    await comment().fill('Twice refused');
    await press('Comment');
    await page.locator('.entry .just').waitFor();
    expect(await lastComment(id)).toMatchObject({ text: 'Twice refused', count: 1 });
    // What is saved, and cannot be read again, is said to be saved.
    await page.route(`**/rest/bug/${id}?**`, (route) => route.fulfill({ ...busy, status: 500 }), {
      times: 1,
    });
    await comment().fill('Read later');
    await press('Comment');
    await page.getByRole('alert').getByText('It is saved.').waitFor();
    await press('Try again');
    await page.locator('#c2').getByText('Read later').waitFor();
  });

  it('a comment goes with a status, and one field of a bug is edited at a time, while what was entered stays', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Change Priority');
    await row('Priority').getByLabel('Priority').selectOption('Low');
    await press('Change Severity');
    await row('Severity').waitFor();
    expect(await row('Priority').count()).toBe(0);
    await page.keyboard.press('Escape');
    await press('Change Priority');
    expect(await row('Priority').getByLabel('Priority').inputValue()).toBe('Low');
    await row('Priority').getByRole('button', { name: 'Cancel' }).click();
    await comment().fill('Done');
    await page.getByLabel('Status with this comment').selectOption('RESOLVED FIXED');
    await press('Comment, RESOLVED FIXED');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ status: 'RESOLVED', resolution: 'FIXED' });
    expect(await lastComment(id)).toMatchObject({ text: 'Done', count: 1 });
  });

  it('a bug moves to another product with a component of it', async () => {
    const id = await newBug();
    await openAs(ADMIN, `/show_bug.cgi?id=${id}`);
    await change('Product', async (form) => {
      await form.getByLabel('Product').selectOption('Handbook');
      await form.getByLabel('Component').selectOption('Chapters');
      await form.getByLabel('Version').selectOption({ index: 1 });
    });
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ product: 'Handbook', component: 'Chapters' });
  });

  it.each([
    ['keeps theirs', 'Keep theirs', 'Low'],
    ['saves what the reader entered', 'Save mine: Highest', 'Highest'],
  ])(
    'where others changed the same field meanwhile, the bar says who, and %s',
    async (_, button, priority) => {
      const { page } = pages;
      const id = await newBug();
      await openAs(DEV, `/show_bug.cgi?id=${id}`);
      await press('Change Priority');
      await row('Priority').getByLabel('Priority').selectOption('Highest');
      await rest(`bug/${id}`, { method: 'PUT', body: { priority: 'Low', comment: { body: 'Meanwhile' } } });
      await row('Priority').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('Ada Admin changed Priority to Low').waitFor();
      await page
        .locator('.changed-by-other', { has: row('Priority') })
        .getByText('Ada Admin changed it to Low')
        .waitFor();
      await page.locator('#c1').getByText('Meanwhile').waitFor();
      await press(button);
      await isSaved();
      expect(await page.locator('#bar').innerText()).toBe('');
      expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ priority });
    },
  );

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
    const shown = label === 'Add to CC' ? 'CC' : label;
    await press(`Change ${shown}`);
    await row(shown).getByLabel(label, { exact: true }).fill(value);
    await row(shown).getByRole('button', { name: 'Save' }).click();
    await page.locator(`#input-${name}:focus`).waitFor();
    expect(await page.locator(`#input-${name}-problem`).innerText()).toContain(value.slice(0, 5));
    expect(await row(shown).getByLabel(label, { exact: true }).inputValue()).toBe(value);
    await row(shown).getByRole('button', { name: 'Cancel' }).click();
    expect(await row(shown).count()).toBe(0);
  });

  const openAction = (name: string) => pages.page.getByRole('button', { name, exact: true });

  it('a bug is resolved from its top in three actions, and only that is sent', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.locator('#change-status').click();
    await page.getByLabel('RESOLVED').check();
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press('Resolve as FIXED');
    const request = await sent;
    expect(request.postDataJSON()).toEqual({ status: 'RESOLVED', resolution: 'FIXED' });
    expect(request.headers()['if-match']).toMatch(/^"[\d.]+"$/);
    await isSaved();
    await expect.poll(() => page.locator('#change-status').innerText()).toBe('RESOLVED FIXED');
    await page.locator('#change-status:focus').waitFor();
  });

  it('a bug becomes a duplicate by its status, which has what its workflow allows, and is opened again', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    const open = () => page.locator('#change-status').click();
    const panel = page.getByRole('form', { name: 'Change status' });
    await open();
    await panel.getByRole('radio').first().waitFor();
    const statuses = await panel
      .locator('[name=status]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    expect(statuses).toEqual(expect.arrayContaining(['CONFIRMED', 'IN_PROGRESS', 'RESOLVED']));
    expect(statuses).not.toContain('VERIFIED');
    await panel.getByLabel('RESOLVED').check();
    await panel.getByLabel('DUPLICATE').check();
    await panel.getByLabel('Duplicate of').fill('99999');
    await press('Resolve as duplicate of 99999');
    await page.locator('#input-dupe_of-problem').getByText('99999').waitFor();
    await panel.getByLabel('Duplicate of').fill('1');
    await panel.getByText('1 The moon is blurry at the edges').waitFor();
    await press('Resolve as duplicate of 1');
    await isSaved();
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ resolution: 'DUPLICATE', dupe_of: 1 });
    await panel.waitFor({ state: 'detached' });
    await open();
    await panel.getByLabel('CONFIRMED', { exact: true }).check();
    await press('Reopen as CONFIRMED');
    await expect.poll(() => page.locator('#change-status').innerText()).toBe('CONFIRMED');
    expect((await rest(`bug/${id}`)).bugs[0]).toMatchObject({ status: 'CONFIRMED', dupe_of: null });
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
    await page.locator('#input-field:focus').waitFor();
    await page.keyboard.type('prio');
    await page.keyboard.press('Enter');
    await page.locator('#input-priority:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#change-priority:focus').waitFor();
    await page.keyboard.press('s');
    await page.getByRole('form', { name: 'Change status' }).waitFor();
  });

  it('a field is saved where others changed another one meanwhile, which is shown then', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await rest(`bug/${id}`, { method: 'PUT', body: { whiteboard: 'theirs' } });
    await change('Priority', (form) => form.getByLabel('Priority').selectOption('Low'));
    await page.locator('.fields').getByText('theirs').waitFor();
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

  it.each([
    ['nobody who is not signed in', undefined, []],
    ['somebody else', BOT, ['Change CC', 'Change Flags']],
  ])('controls are shown to who may change a field: %s', async (_, key, names) => {
    const { page } = pages;
    const path = `/show_bug.cgi?id=${await newBug()}`;
    await (key === undefined ? pages.open(path) : openAs(key, path));
    const shown = await page
      .locator('.fields .pen, .fields .rest button')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(shown).toEqual(names);
    await page.keyboard.press('s');
    expect(await page.getByRole('form', { name: 'Change status' }).count()).toBe(0);
  });

  it('a reply quotes the comment, is as private as it, and is sent by Ctrl+Enter', async () => {
    const { page } = pages;
    const id = await newBug({ description: 'One\n<b>Two</b>', comment_is_private: true });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await press('Reply to comment 0');
    await page.locator('#input-comment:focus').waitFor();
    const quoted = '(In reply to Ada Admin from comment #0)\n> One\n> <b>Two</b>\n\n';
    expect(await comment().inputValue()).toBe(quoted);
    expect(await page.getByLabel('Private').isChecked()).toBe(true);
    await press('Reply to comment 0');
    await expect.poll(() => comment().inputValue()).toBe(`${quoted.trimEnd()}\n\n${quoted}`);
    await comment().fill(`${quoted}I see.`);
    await page.keyboard.press('Control+Enter');
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text: `${quoted}I see.`, is_private: true, count: 1 });
    expect(await page.locator('#c1 blockquote').first().innerText()).toContain('One');
  });

  it('a comment and a file go together: one change, one mail', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await comment().fill('What I see');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
    await page.getByLabel('Attach files').setInputFiles([file, { ...file, name: 'b.txt' }]);
    await page.getByLabel('Description of b.txt').waitFor();
    const path = `**/rest/bug/${id}/attachment`;
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await submit();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    await submit();
    await isSaved();
    const { bugs } = await rest(`bug/${id}/comment`);
    const texts = bugs[id].comments.map(({ text }: { text: string }) => text);
    expect(texts).toEqual([
      'text',
      expect.stringMatching(/^Created attachment \d+\na.txt\n\nWhat I see$/),
      expect.stringMatching(/^Created attachment \d+\nb.txt$/),
    ]);
    expect(await page.locator('#c1 .prose').innerText()).toBe('What I see');
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

  it('of a long bug the newest comment and the first unread one are linked, and its title and the way to write stay in view', async () => {
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
    await page.locator('.unseen').getByText('Changed since you looked at it').waitFor();
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.open(path);
    expect(await page.getByRole('link', { name: 'Newest comment' }).getAttribute('href')).toBe(`#c${count}`);
    await page.locator('.since').getByText('New since you looked').waitFor();
    await page.getByRole('link', { name: /First of \d+ unread/ }).click();
    expect(page.url()).toMatch(/#c\d+$/);
    await page.locator('.pinned').getByRole('button', { name: 'Comment' }).click();
    await page.locator('#input-comment:focus').waitFor();
  });

  it('files are chosen, dropped and pasted, and those that are too large are refused before they are read', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
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
        document.querySelector('#composer').dispatchEvent(event);
      }`);
      await page.getByLabel(`Description of ${name}`).waitFor();
    }
    await page.getByLabel('Description of fix.patch').fill('The fix');
    await submit();
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
    await comment().fill('Offline');
    await context.setOffline(true);
    await submit();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await context.setOffline(false);
    await submit();
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text: 'Offline', count: 1 });
  });

  it.each([
    ['Once only', 1],
    ['Changed', 2],
  ])('of a comment whose response was lost, the text %j is comment %i', async (text, count) => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await comment().fill('Once only');
    const path = `**/rest/bug/${id}/comment`;
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await submit();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    if (text !== 'Once only') await comment().fill(text);
    await submit();
    await isSaved();
    expect(await lastComment(id)).toMatchObject({ text, count });
  });

  it('a draft is of its tab, and offered to others; that of a private comment is not, and signing out removes both', async () => {
    const { page, context } = pages;
    const id = await newBug();
    const path = `/show_bug.cgi?id=${id}`;
    const draftsIn = (storage: 'localStorage' | 'sessionStorage') =>
      page.evaluate<string[]>(`Object.keys(${storage}).filter((key) => key.startsWith('bugless draft'))`);
    page.on('dialog', (dialog) => dialog.accept());
    await openAs(DEV, path);
    await comment().fill('Not yet');
    expect(await draftsIn('localStorage')).toEqual([`bugless draft dev@bugless.example ${id}`]);
    const other = await context.newPage();
    await other.addInitScript((key) => sessionStorage.setItem('bugless-api-key', key), DEV);
    await other.goto(pages.bugless.url + path);
    const theirs = other.getByLabel('Comment', { exact: true });
    await other.getByText('A draft of another tab').waitFor();
    expect(await theirs.inputValue()).toBe('');
    await theirs.fill('Of the other tab');
    await pages.open(path);
    expect(await comment().inputValue()).toBe('Not yet');
    await other.evaluate(`document.querySelector('#input-comment').value = ''`);
    await other.close();
    await page.getByLabel('Private').check();
    expect(await draftsIn('sessionStorage')).toHaveLength(1);
    await pages.open(path);
    expect(await page.getByLabel('Private').isChecked()).toBe(true);
    await page.locator('header summary', { hasText: 'Dev' }).click();
    await press('Sign out');
    await page.getByText('To comment, sign in above.').waitFor();
    expect([...(await draftsIn('sessionStorage')), ...(await draftsIn('localStorage'))]).toEqual([]);
  });

  /** Writes a comment on the bug that is open, whose session has ended; returns what ends the end. */
  async function writeAfterEnd(id: number, text: string) {
    const { page } = pages;
    if (text !== 'Once only') await comment().fill(text);
    const ended = { error: true, code: 306, message: 'The API key is not valid.' };
    await page.route(`**/rest/bug/${id}/comment`, (route) => route.fulfill({ status: 400, json: ended }));
    await press('Comment');
    await page.locator('#bar').getByText('Your session has ended').waitFor();
    return () => page.unroute(`**/rest/bug/${id}/comment`);
  }

  it('a session that ends while one writes is replaced in place, and what was written is sent then', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    const unroute = await writeAfterEnd(id, 'Written before the end');
    await page.locator('.top summary', { hasText: 'Sign in' }).waitFor();
    // Nobody is signed in who could use them.
    expect(await page.locator('#change-status, :is(select, #input-private):enabled, .pen').count()).toBe(0);
    await unroute();
    const bar = page.locator('#bar');
    await bar.getByLabel('API key').fill(DEV);
    await bar.getByRole('button', { name: 'Use this key' }).click();
    await isSaved();
    expect(await bar.innerText()).toBe('');
    expect(await lastComment(id)).toMatchObject({ text: 'Written before the end', count: 1 });
  });

  const HIDDEN = 'Not for everybody';
  const restricted = { summary: HIDDEN, groups: ['security'] };

  it.each<[string, () => Promise<number>]>([
    ['private comments', () => newBug({ description: HIDDEN, comment_is_private: true })],
    [
      'private attachments, and changes of them',
      async () => {
        const id = await newBug();
        const file = { data: 'YQ==', file_name: 'a.txt', summary: 'Notes', content_type: 'text/plain' };
        const body = { ...file, is_private: true };
        const { ids } = await rest(`bug/${id}/attachment`, { method: 'POST', body });
        await rest(`bug/attachment/${ids[0]}`, { method: 'PUT', body: { file_name: HIDDEN } });
        return id;
      },
    ],
    ['the head of a restricted bug', () => newBug(restricted)],
    ['titles of hidden bugs', async () => newBug({ depends_on: [await newBug(restricted)] })],
  ])(
    'after the end of a session, and for somebody else who signs in, a bug is shown without %s',
    async (_, make) => {
      const { page } = pages;
      const id = await make();
      await openAs(ADMIN, `/show_bug.cgi?id=${id}`);
      const shown = async () => `${await page.title()} ${await page.locator('body').innerText()}`;
      await expect.poll(shown).toContain(HIDDEN);
      const text = 'Of the administrator';
      const unroute = await writeAfterEnd(id, text);
      await expect.poll(shown).not.toContain(HIDDEN);
      await unroute();
      await page.locator('#bar').getByLabel('API key').fill(BOT);
      await press('Use this key');
      const refused = 'It is not sent: it was written by admin@bugless.example.';
      await page.getByRole('alert').getByText(refused).waitFor();
      expect(await shown()).not.toContain(HIDDEN);
      expect((await lastComment(id)).text).not.toBe(text);
      await press('Discard');
    },
  );

  it('what a page has started to read with another key is not shown', async () => {
    const { page } = pages;
    const id = await newBug({ description: HIDDEN, comment_is_private: true });
    await openAs(ADMIN, '/page.cgi?id=quicksearch.html');
    // The modules come after the first requests, and after somebody else has signed in.
    await page.route(/\/main\.js/, async (route) => {
      await page.waitForResponse(`**/rest/bug/${id}/comment?**`);
      await page.evaluate((key) => sessionStorage.setItem('bugless-api-key', key), BOT);
      await route.continue();
    });
    await pages.open(`/show_bug.cgi?id=${id}`);
    expect(await page.locator('main').innerText()).not.toContain(HIDDEN);
  });

  it('a private comment makes its files private, unless one is made public by itself', async () => {
    const { page } = pages;
    const id = await newBug();
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await comment().fill('Secret');
    await page.getByLabel('Attach files').setInputFiles(file('before.txt'));
    await page.getByLabel('Description of before.txt').waitFor();
    await page.locator('#input-private').check();
    await page.getByLabel('Attach files').setInputFiles([file('after.txt'), file('public.txt')]);
    await page.getByLabel('Description of public.txt').waitFor();
    for (const index of [0, 1, 2]) {
      expect(await page.locator(`#input-attachment-${index}-private`).isChecked()).toBe(true);
    }
    await page.locator('#input-attachment-2-private').uncheck();
    await page.getByLabel('Description of after.txt').pressSequentially('new ');
    // The comment is written first: what fails then is private, too, when it is sent again.
    const path = `**/rest/bug/${id}/attachment`;
    await page.route(path, (route) => route.abort());
    await submit();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute(path);
    await submit();
    await isSaved();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([
      { summary: 'before.txt', is_private: 1 },
      { summary: 'new', is_private: 1 },
      { summary: 'public.txt', is_private: 0 },
    ]);
  });

  it('files that were chosen stay while another part of the bug is saved', async () => {
    const { page } = pages;
    const id = await newBug({ assigned_to: 'guard@bugless.example' });
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    const file = { name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('kept') };
    await page.getByLabel('Attach files').setInputFiles(file);
    await page.getByLabel('Description of kept.txt').waitFor();
    await press('Assign to me');
    await isSaved();
    await expect.poll(() => openAction('Assign to me').count()).toBe(0);
    await page.getByLabel('Description of kept.txt').waitFor();
    await submit();
    await page.locator('.entry .just').waitFor();
    const { bugs } = await rest(`bug/${id}/attachment?exclude_fields=data`);
    expect(bugs[id]).toMatchObject([{ summary: 'kept.txt' }]);
    expect(await page.getByLabel('Description of kept.txt').count()).toBe(0);
  });

  it('the files of a new bug whose description is private are private', async () => {
    const { page } = pages;
    await openAs(DEV, '/enter_bug.cgi?product=Telescope&component=Lens&version=2.0&short_desc=x&comment=y');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
    await page.getByLabel('Attach files').setInputFiles(file);
    await page.getByLabel('Description of a.txt').waitFor();
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
    ['whose bugs are always restricted stays in the tab', 'Vault', ['sessionStorage']],
    ['whose bugs are not is offered to other tabs', 'Telescope', ['localStorage', 'sessionStorage']],
  ])('a draft of a new bug of a product %s', async (_, product, storage) => {
    const { page } = pages;
    page.on('dialog', (dialog) => dialog.accept());
    const isKnown = page.waitForResponse('**/rest/product?type=selectable**');
    await openAs(ADMIN, `/enter_bug.cgi?product=${product}`);
    await isKnown;
    // What is typed before the page knows whose bugs are restricted stays in the tab.
    const stored = async () => {
      await page.getByLabel('Summary', { exact: true }).fill('Draft');
      return page.evaluate<string[]>(`['localStorage', 'sessionStorage'].filter((name) =>
        Object.keys(window[name]).some((key) => key.startsWith('bugless draft') && key.includes('${product}')))`);
    };
    await expect.poll(stored).toEqual(storage);
    await press('Discard');
  });

  it('leaving with something unsaved asks', async () => {
    const { page } = pages;
    await openAs(DEV, `/show_bug.cgi?id=${await newBug()}`);
    await comment().pressSequentially('Unsaved');
    const asked = page.waitForEvent('dialog');
    void page.goto(`${pages.bugless.url}/`).catch(() => undefined);
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await comment().inputValue()).toBe('Unsaved');
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
    await page.getByRole('radio', { name: 'Lens' }).check();
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
    await page.locator('#input-summary:focus').waitFor();
    await page.getByRole('alert').getByText('Not filed yet: summary and component are missing.').waitFor();
    expect(await page.locator('.problem').allInnerTexts()).toEqual([
      'Summary is needed.',
      'Component is needed.',
    ]);
    expect(await page.getByLabel('Keywords').isVisible()).toBe(false);
    await page.getByText(/^More fields/).click();
    await page.getByLabel('Keywords').fill('regression');
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page
      .getByLabel('Attach files')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') });
    await page.locator('img.thumb').waitFor();
    await page.getByRole('radio', { name: 'Lens' }).check();
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
    await press('Discard …');
    await page.getByText('Discard text and 1 file?').waitFor();
    await press('Keep');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('One\nTwo');
    await press('Discard …');
    await press('Discard');
    expect(await page.getByLabel('Description of secret.txt').count()).toBe(0);
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('');
    await page.getByRole('radio', { name: 'Lens' }).check();
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
    page.on(
      'request',
      (request) => request.url().includes('possible_duplicates') && read.push(request.url()),
    );
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
    expect(await page.getByRole('radio', { name: 'Lens' }).isChecked()).toBe(true);
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
    await press('Change Assignee');
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
  });

  const bulk = () => pages.page.getByRole('region', { name: 'Change the selected bugs' });
  /** Chooses a value of a field in the bar of selected bugs. */
  async function choose(label: string, value: string) {
    await bulk().locator('summary', { hasText: label }).click();
    await bulk().getByRole('button', { name: value, exact: true }).click();
  }
  async function enter(label: string, field: string, value: string) {
    await bulk().locator('summary', { hasText: label }).click();
    await bulk().getByLabel(field, { exact: true }).fill(value);
    await pages.page.keyboard.press('Escape');
  }

  it('ten bugs are changed together; what will be is said before, and what is refused is said in its row', async () => {
    const { page } = pages;
    const ids: number[] = [];
    const hostile = '<img src=x onerror=alert(1)>';
    for (let count = 0; count < 10; count += 1) ids.push(await newBug({ whiteboard: 'many' }));
    const [first = 0, ...others] = ids;
    await openAs(DEV, '/buglist.cgi?whiteboard=many');
    await page.getByLabel('Select all').check();
    await choose('Status', 'IN_PROGRESS');
    await enter('Comment', 'Comment', hostile);
    expect(await bulk().locator('.chip').allInnerTexts()).toEqual(['Status → IN_PROGRESS', 'with a comment']);
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
    await choose('Status', 'VERIFIED WONTFIX');
    await press('Change 10 bugs');
    await page.locator('.bulk #problem').getByText('1 of 10 bugs changed.').waitFor();
    expect(await page.locator('td .problem').count()).toBe(9);
    await page.getByRole('button', { name: 'Change 9 bugs' }).waitFor();
    expect(await page.getByLabel(`Select bug ${first}`).isChecked()).toBe(false);
    await enter('Assignee', 'Assignee', hostile);
    await press('Change 9 bugs');
    await page.locator(`#failed-${others[0]}`).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect((await rest(`bug/${first}`)).bugs[0]).toMatchObject({ status: 'VERIFIED', resolution: 'WONTFIX' });
  });

  it('bugs are moved, and get keywords, flags and people, together', async () => {
    const { page } = pages;
    const ids = [
      await newBug({ whiteboard: 'moved', keywords: ['regression'] }),
      await newBug({ whiteboard: 'moved' }),
    ];
    await openAs(ADMIN, '/buglist.cgi?whiteboard=moved');
    await page.getByLabel('Select all').check();
    await choose('Component', 'Mount');
    await choose('Milestone', '2.0');
    await enter('Keywords', 'Keywords to add', 'regression');
    await bulk().getByText('1 of them has that already.').waitFor();
    await bulk().locator('summary', { hasText: 'More' }).click();
    await press('Flags');
    await bulk().getByLabel('Flags', { exact: true }).fill('needinfo?(dev@bugless.example)');
    await page.keyboard.press('Escape');
    await enter('CC', 'CC to add', 'dev@bugless.example');
    await press('Change 2 bugs');
    await page.getByRole('status').getByText('2 of 2 bugs changed.').waitFor();
    const changed = await rest(`bug?id=${ids.join()}`);
    await press('Undo');
    await page.getByRole('status').getByText('It is taken back.').waitFor();
    for (const one of (await rest(`bug?id=${ids.join()}`)).bugs)
      expect(one).toMatchObject({
        ...{ component: 'Lens', cc: [], flags: [{ name: 'needinfo' }] },
        keywords: one.id === ids[0] ? ['regression'] : [],
      });
    const { bugs } = changed;
    for (const one of bugs)
      expect(one).toMatchObject({
        ...{
          component: 'Mount',
          target_milestone: '2.0',
          keywords: ['regression'],
          cc: ['dev@bugless.example'],
        },
        flags: [{ name: 'needinfo', status: '?', requestee: 'dev@bugless.example' }],
      });
  });

  it('rows are selected by keys, and stay selected when one comes back; j and k go through the list on a bug, too', async () => {
    const { page } = pages;
    for (let count = 0; count < 3; count += 1) await newBug({ whiteboard: 'keys' });
    await openAs(DEV, '/buglist.cgi?whiteboard=keys&order=bug_id');
    const ids = await page.locator('tbody td.id').allInnerTexts();
    for (const key of ['j', 'x', 'j', 'j', 'Shift+X']) await page.keyboard.press(key);
    await bulk().getByText('3 selected').waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('o');
    await page.waitForURL(`**/show_bug.cgi?id=${ids[2]}`);
    await pages.isShown();
    await page.getByText('3 of 3').waitFor();
    await page.keyboard.press('k');
    await page.waitForURL(`**/show_bug.cgi?id=${ids[1]}`);
    await page.getByText('2 of 3').waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**/buglist.cgi?**');
    await bulk().getByText('2 selected').waitFor();
    await page.locator(`tr.here#row-${ids[2]}`).waitFor();
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
    await enter('Comment', 'Comment', 'Once');
    await press('Change 2 bugs');
    await page.locator('.bulk #problem').getByText('they may have been changed').waitFor();
    expect(sent).toBe(1);
    await page.unroute(/\/rest\/bug\/\d+$/);
  });

  it('tags of a comment are changed by taggers', async () => {
    const { page } = pages;
    const id = await newBug();
    await openAs(DEV, `/show_bug.cgi?id=${id}`);
    await page.getByLabel('More for comment 0').click();
    await page.locator('#c0').getByRole('button', { name: 'Tags' }).click();
    await page.getByLabel('Tags').fill('spam later');
    await page.locator('#c0').getByRole('button', { name: 'Save' }).click();
    await page.locator('#c0 .tag').nth(1).waitFor();
    expect((await lastComment(id)).tags).toEqual(['later', 'spam']);
  });

  it.each([
    ['the form of a bug', '/show_bug.cgi?id=1', 'Change Priority'],
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
