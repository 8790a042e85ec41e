import type { Page } from 'playwright-core';

/** A state of a page: what it is called, its address, who reads, and what is done before it is looked at. */
export interface PageState {
  name: string;
  path: string;
  isAnonymous?: boolean;
  act?: (page: Page) => Promise<void>;
}

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();

const unfold = (name: string) => (page: Page) =>
  page.locator('summary').getByText(name, { exact: true }).click();

/** Every page, with its forms opened. */
export const PAGE_STATES: readonly PageState[] = [
  { name: 'home', path: '/' },
  { name: 'bug', path: '/show_bug.cgi?id=1' },
  { name: 'bug-anonymous', path: '/show_bug.cgi?id=2', isAnonymous: true },
  {
    name: 'comment',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await press('Comment')(page);
      await page.getByLabel('Comment', { exact: true }).waitFor();
    },
  },
  {
    name: 'fields',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await press('Change fields')(page);
      await page.locator('textarea').waitFor();
      await page.getByLabel('Priority', { exact: true }).waitFor();
    },
  },
  {
    name: 'status',
    path: '/show_bug.cgi?id=1',
    act: async (page) => {
      await press('Change Status')(page);
      await page.getByLabel('Status', { exact: true }).selectOption('RESOLVED DUPLICATE');
      await press('Change Assignee')(page);
      await page.getByLabel('Assignee', { exact: true }).waitFor();
    },
  },
  {
    name: 'attachment',
    path: '/show_bug.cgi?id=2',
    act: async (page) => {
      await page.locator('.attachments').getByRole('button', { name: 'Change' }).click();
      await page.getByLabel('File name').waitFor();
    },
  },
  { name: 'choose-product', path: '/enter_bug.cgi' },
  { name: 'new-bug', path: '/enter_bug.cgi?product=Telescope' },
  {
    name: 'new-bug-wrong',
    path: '/enter_bug.cgi?product=Telescope&short_desc=The%20moon%20blurry',
    act: async (page) => {
      await press('File the bug')(page);
      await page.getByText('More fields').click();
      await page.locator('.similar a').waitFor();
    },
  },
  { name: 'list', path: '/buglist.cgi?bug_status=__all__' },
  {
    name: 'many',
    path: '/buglist.cgi?bug_status=__all__',
    act: async (page) => {
      await page.getByLabel('Select all').check();
      await press('Change 6 selected')(page);
      await page.locator('#input-state').waitFor();
    },
  },
  {
    name: 'columns',
    path: '/buglist.cgi?bug_status=__all__',
    act: async (page) => {
      await page.locator('summary').getByText('Columns').click();
      await page.getByRole('form', { name: 'Columns of the list' }).waitFor();
    },
  },
  {
    name: 'save-search',
    path: '/buglist.cgi?product=Telescope',
    act: async (page) => {
      await press('Save this search')(page);
      await page.getByLabel('Shared with the group').waitFor();
    },
  },
  {
    name: 'searches',
    path: '/',
    act: (page) => page.locator('summary').getByText('Searches').click(),
  },
  { name: 'search', path: '/query.cgi?product=Telescope&f1=cc&o1=isempty' },
  { name: 'help', path: '/page.cgi?id=quicksearch.html' },
  { name: 'preferences', path: '/userprefs.cgi' },
  { name: 'unsubscribe', path: '/userprefs.cgi?tab=mail#unsubscribe=1.x', isAnonymous: true },
  { name: 'admin-products', path: '/admin', act: unfold('New product') },
  {
    name: 'admin-product',
    path: '/admin?tab=products&product=1',
    act: async (page) => {
      await unfold('New component')(page);
      await unfold('Another group')(page);
      await unfold('needinfo (bug)')(page);
      await unfold('New flag type')(page);
    },
  },
  { name: 'admin-people', path: '/admin?tab=people&match=dev', act: unfold('New account') },
  { name: 'admin-person', path: '/admin?tab=people&user=dev%40bugless.example' },
  { name: 'admin-groups', path: '/admin?tab=groups', act: unfold('New group') },
  { name: 'admin-group', path: '/admin?tab=groups&group=editbugs' },
  { name: 'admin-audit', path: '/admin?tab=audit' },
  { name: 'keys', path: '/userprefs.cgi?tab=apikey' },
  { name: 'refused', path: '/show_bug.cgi?id=3', isAnonymous: true },
  { name: 'account', path: '/', act: (page) => page.locator('summary').first().click() },
];
