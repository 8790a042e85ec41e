import type { Page } from 'playwright-core';

/** A state of a page: what it is called, its address, who reads, and what is done before it is looked at. */
export interface PageState {
  name: string;
  path: string;
  isAnonymous?: boolean;
  /** the key of who reads; absent: that of the administrator */
  key?: string;
  act?: (page: Page) => Promise<void>;
  /** whether phones do not have it */
  isWide?: boolean;
  /** whether a picture shows what has the focus */
  isFocused?: boolean;
  /** what a picture of it shows; absent: its top */
  at?: string;
}

const ADMIN = 'AdminDemoKey0000000000000000000000000000';
const DEV = 'DevDemoKey000000000000000000000000000000';

/** Opens a page as who reads it there, and does what is to be done. */
export async function openState(
  { path, isAnonymous, key = ADMIN, act }: PageState,
  { page, open }: { page: Page; open: (path: string) => Promise<void> },
) {
  if (isAnonymous !== true)
    // Firefox runs it in the empty page before, too, which has no storage.
    await page.addInitScript(
      `if (location.protocol === 'http:') sessionStorage.setItem('bugless-api-key', '${key}')`,
    );
  await open(path);
  await act?.(page);
}

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();

const unfold = (name: string) => (page: Page) => page.locator('summary', { hasText: name }).first().click();

/** As a deployment that mails links for signing in. */
const offerMail = (page: Page) =>
  page.route('**/rest/parameters?**', (route) =>
    route.fulfill({ json: { parameters: { sign_in_by_mail: '1' } } }),
  );

const ended = { error: true, code: 306, message: 'The API key is not valid.' };

/** Selects all bugs of a list, and says what is to be changed of them. */
async function selectAll(page: Page) {
  await page.getByLabel('Select all').check();
  await page.locator('.bulk summary', { hasText: 'Priority' }).click();
  await page.getByRole('button', { name: 'High', exact: true }).click();
  await page.getByText('Priority → High').waitFor();
}

/** Every page, with its forms opened. */
export const PAGE_STATES: readonly PageState[] = [
  {
    name: 'home',
    path: '/',
    key: DEV,
    act: async (page) => {
      // Somebody asks, and there are searches: the demo has none.
      await page.route('**/rest/bug?f1=requestees**', async (route) => {
        const address = new URL(route.request().url());
        for (const name of ['f1', 'o1', 'v1']) address.searchParams.delete(name);
        address.searchParams.set('id', '2');
        const response = await route.fetch({ url: String(address) });
        const { bugs } = await response.json();
        const flag = { name: 'needinfo', status: '?', setter: 'bot@bugless.example' };
        const flags = [{ ...flag, requestee: 'dev@bugless.example' }];
        await route.fulfill({ response, json: { bugs: [{ ...bugs[0], flags }], total_matches: 1 } });
      });
      const searches = ['Regressions since 2.0', 'Unconfirmed for a week'].map((name) => ({
        name,
        query: 'bug_status=__open__',
        owner: 'dev@bugless.example',
      }));
      await page.route('**/rest/bugless/saved_searches', (route) =>
        route.fulfill({ json: { saved_searches: searches } }),
      );
      await page.evaluate(
        'for (const name of Object.keys(sessionStorage)) if (name.startsWith("bugless once ")) sessionStorage.removeItem(name)',
      );
      for (const id of [5, 1]) {
        await page.goto(new URL(`/show_bug.cgi?id=${id}`, page.url()).href);
        await page.locator('.bug-head').waitFor();
      }
      await page.goto(new URL('/', page.url()).href);
      await page.getByText('needinfo? from Build Bot').waitFor();
    },
  },
  { name: 'empty-home', path: '/' },
  { name: 'home-out', path: '/', isAnonymous: true },
  { name: 'bug', path: '/show_bug.cgi?id=1' },
  { name: 'bug-anonymous', path: '/show_bug.cgi?id=2', isAnonymous: true },
  { name: 'bug-restricted', path: '/show_bug.cgi?id=3' },
  {
    name: 'bug-private',
    at: '#composer',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await page.locator('#input-private').check();
      await page.getByLabel('Comment', { exact: true }).fill('For insiders');
      const file = { name: 'edge.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
      await page.getByLabel('Attach files').setInputFiles(file);
      await page.getByLabel('Description of edge.txt').waitFor();
    },
  },
  {
    name: 'bug-preview',
    at: '#composer',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await page
        .getByLabel('Comment', { exact: true })
        .fill('See bug 2.\n\n> Quoted\n\n```\nlet wide = 1;\n```\n\nwide   table   row');
      await page.getByRole('tab', { name: 'Preview' }).click();
      await page.locator('.composer blockquote').waitFor();
    },
  },
  {
    name: 'bug-edit',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await press('Change Severity')(page);
      await page.locator('#input-severity').waitFor();
    },
  },
  {
    name: 'bug-edit-wrong',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await press('Change Assignee')(page);
      await page.locator('#input-assigned_to').fill('nobody@example.org');
      await page.locator('.row.editing [type=submit]').click();
      await page.locator('#input-assigned_to-problem').waitFor();
    },
  },
  {
    name: 'bug-status',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await page.locator('#change-status').click();
      await page.getByLabel('RESOLVED').check();
      await page.getByLabel('DUPLICATE').check();
      await page.getByLabel('Duplicate of').fill('2');
      await page.locator('#input-dupe_of-hint').waitFor();
    },
  },
  {
    name: 'bug-conflict',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await press('Change Priority')(page);
      await page.locator('#input-priority').selectOption('Highest');
      const changed = { error: true, code: 32000, message: 'Changed meanwhile.' };
      await page.route('**/rest/bug/1', (route) => route.fulfill({ status: 412, json: changed }));
      await page.route('**/rest/bug/1?**', async (route) => {
        const response = await route.fetch();
        const { bugs } = await response.json();
        await route.fulfill({ response, json: { bugs: [{ ...bugs[0], priority: 'Low' }] } });
      });
      await page.locator('.row.editing [type=submit]').click();
      await page.locator('.changed-by-other').waitFor();
    },
  },
  {
    name: 'toast',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await page.route('**/rest/bug/1', (route) => route.fulfill({ json: { bugs: [] } }));
      await press('Unfollow')(page);
      await page.locator('.toast button').focus();
    },
  },
  {
    name: 'session-expired',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await offerMail(page);
      await page.route('**/rest/bug/1/comment', (route) => route.fulfill({ status: 400, json: ended }));
      await page.getByLabel('Comment', { exact: true }).fill('Not saved yet');
      await press('Comment')(page);
      await page.locator('#again-login').waitFor();
    },
  },
  {
    name: 'offline',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await page.context().setOffline(true);
      await page.getByText('No connection.').waitFor();
    },
  },
  {
    name: 'attachment',
    path: '/show_bug.cgi?id=2',
    act: async (page) => {
      await page.locator('#change-a1').click();
      await page.getByLabel('File name').waitFor();
    },
  },
  { name: 'new-product', path: '/enter_bug.cgi' },
  {
    ...{ name: 'new', path: '/enter_bug.cgi?product=Telescope', isFocused: true },
    // Names of people come after the form.
    act: (page) => page.getByText('goes to Dev Developer').first().waitFor(),
  },
  {
    name: 'new-wrong',
    path: '/enter_bug.cgi?product=Telescope&short_desc=The%20moon%20blurry',
    act: async (page) => {
      await press('File the bug')(page);
      await page.getByText(/^More fields/).click();
      await page.locator('.similar a').waitFor();
    },
  },
  { name: 'list', path: '/buglist.cgi?bug_status=__all__' },
  { name: 'empty-list', path: '/buglist.cgi?quicksearch=nothinghasthisword' },
  { name: 'list-selected', path: '/buglist.cgi?bug_status=__all__', act: selectAll },
  { name: 'list-columns', path: '/buglist.cgi?bug_status=__all__', act: unfold('Columns'), isWide: true },
  {
    name: 'list-facet',
    path: '/buglist.cgi?bug_status=__all__',
    act: async (page) => {
      await page.locator('.filters summary', { hasText: 'Product' }).click();
      await page.locator('.filters').getByLabel('Telescope').waitFor();
    },
    isWide: true,
  },
  {
    name: 'list-save',
    path: '/buglist.cgi?product=Telescope',
    act: async (page) => {
      await unfold('Save search')(page);
      await page.getByLabel('Shared with the group').waitFor();
    },
    isWide: true,
  },
  { name: 'list-searches', path: '/', act: unfold('Searches'), isWide: true },
  { name: 'menu', path: '/', act: unfold('Ada Admin') },
  { name: 'search', path: '/query.cgi?product=Telescope&f1=cc&o1=isempty' },
  {
    name: 'search-groups',
    path: '/query.cgi?f1=short_desc&o1=substring&v1=moon&f2=OP&j2=OR&n2=1&f3=priority&o3=equals&v3=Low&f4=keywords&o4=anywords&v4=good-first-bug&f5=CP&f6=cf_build&o6=isempty',
    act: (page) => page.getByText('1 bug meets this').waitFor({ state: 'attached' }),
    at: 'fieldset:has(.charts)',
  },
  { name: 'requests', path: '/request.cgi?requestee=' },
  { name: 'help', path: '/page.cgi?id=quicksearch.html' },
  { name: 'keys', path: '/', act: (page) => page.keyboard.press('?') },
  { name: 'prefs', path: '/userprefs.cgi' },
  { name: 'prefs-mail', path: '/userprefs.cgi?tab=email' },
  { name: 'prefs-watch', path: '/userprefs.cgi?tab=watch' },
  { name: 'prefs-searches', path: '/userprefs.cgi?tab=saved-searches' },
  { name: 'prefs-keys', path: '/userprefs.cgi?tab=apikey' },
  { name: 'unsubscribe', path: '/userprefs.cgi?tab=mail#unsubscribe=1.x', isAnonymous: true },
  { name: 'admin', path: '/admin', act: press('New product') },
  {
    name: 'admin-product',
    path: '/admin?tab=products&product=1',
    act: async (page) => {
      await press('Edit Lens')(page);
      await page.locator('tr.editing input:focus').waitFor();
    },
  },
  { name: 'admin-versions', path: '/admin?tab=products&product=1&part=releases', act: press('New version') },
  { name: 'admin-flags', path: '/admin?tab=products&product=1&part=flags', act: press('New flag type') },
  { name: 'admin-controls', path: '/admin?tab=products&product=1&part=groups', act: press('New group') },
  { name: 'admin-about', path: '/admin?tab=products&product=1&part=about' },
  { name: 'admin-people', path: '/admin?tab=people&match=dev', act: press('New account') },
  { name: 'admin-person', path: '/admin?tab=people&user=dev%40bugless.example' },
  { name: 'admin-groups', path: '/admin?tab=groups', act: press('New group') },
  { name: 'admin-group', path: '/admin?tab=groups&group=editbugs' },
  { name: 'admin-keywords', path: '/admin?tab=keywords', act: press('New keyword') },
  { name: 'admin-fields', path: '/admin?tab=fields' },
  { name: 'admin-field', path: '/admin?tab=fields&field=priority', act: press('Count the bugs of each') },
  { name: 'admin-audit', path: '/admin?tab=audit' },
  {
    name: 'error-401',
    path: '/show_bug.cgi?id=3',
    isAnonymous: true,
    act: async (page) => {
      await offerMail(page);
      await page.reload();
      await page.getByLabel('Email address').waitFor();
    },
  },
  { name: 'error-404', path: '/show_bug.cgi?id=99999' },
  {
    name: 'error-503',
    path: '/',
    act: async (page) => {
      const busy = { error: true, code: 32000, message: 'The table is busy.' };
      await page.route('**/rest/bug?**', (route) => route.fulfill({ status: 503, json: busy }));
      await page.reload();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    },
  },
  { name: 'sign-in', path: '/', isAnonymous: true, act: unfold('Sign in') },
  { name: 'account', path: '/', act: (page) => page.locator('.top summary').last().click() },
];
