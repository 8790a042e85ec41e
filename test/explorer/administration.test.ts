import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';
const DEV = 'DevDemoKey000000000000000000000000000000';
const HOSTILE = `<img src=x onerror=alert(1)>"'&`;

describe.skipIf(!hasBrowser())('administration in a browser', () => {
  const pages = usePages();
  const press = (name: string) => pages.page.getByRole('button', { name, exact: true }).click();
  const unfold = (name: string) => pages.page.locator('summary').getByText(name, { exact: true }).click();
  const form = (name: string) => pages.page.getByRole('form', { name, exact: true });
  const notice = (text: string) => pages.page.locator('#notice').getByText(text).waitFor();
  const read = async (path: string) => (await pages.bugless.call('GET', path, { key: ADMIN })).body;

  async function openAs(key: string, path: string) {
    await pages.open('/page.cgi?id=quicksearch.html');
    await pages.page.evaluate((value) => sessionStorage.setItem('bugless-api-key', value), key);
    await pages.open(path);
  }

  it('is for who has rights, and shows what these allow', async () => {
    const { page, bugless } = pages;
    await openAs(DEV, '/admin');
    await page.getByText('You have no rights of an administrator.').waitFor();
    const body = { groups: { add: ['creategroups'] } };
    await bugless.call('PUT', '/rest/user/dev@bugless.example', { key: ADMIN, body });
    await pages.open('/admin?tab=people');
    const tabs = page.getByRole('navigation', { name: 'Administration' });
    expect(await tabs.innerText()).toBe('Groups');
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    const back = { groups: { remove: ['creategroups'] } };
    await bugless.call('PUT', '/rest/user/dev@bugless.example', { key: ADMIN, body: back });
    await openAs('', '/admin');
    await page.getByText('Sign in to administrate.').waitFor();
  });

  it('a product is created and changed, with components and flag types; refusals are said at their field', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin');
    await unfold('New product');
    const created = form('New product');
    await created.getByLabel('Name').fill('TELESCOPE');
    await created.getByLabel('First version').fill('1');
    await created.getByLabel('Description').fill('d');
    await press('Create it');
    await page.locator('#input-product-name-problem').getByText('only in case').waitFor();
    await created.getByLabel('Name').fill(HOSTILE);
    await press('Create it');
    await notice('is there. It takes bugs');
    await page.getByRole('link', { name: HOSTILE }).click();
    await pages.isShown();

    await form('The product').getByLabel('Template of the description').fill('Steps:');
    await form('The product').getByLabel('Bugs may be UNCONFIRMED').uncheck();
    await press('Save');
    await notice('The product is saved.');
    await unfold('New component');
    await form('New component').getByLabel('Name').fill('Core');
    await form('New component').getByLabel('Description').fill('d');
    await form('New component').getByLabel('Default assignee').fill('nobody@bugless.example');
    await press('Add it');
    await page.locator('#input-component-default_assignee-problem').getByText('nobody@').waitFor();
    await form('New component').getByLabel('Default assignee').fill('dev@bugless.example');
    await press('Add it');
    await notice('The component is added.');
    await unfold('New flag type');
    const flag = form('New flag type');
    await flag.getByLabel('Name', { exact: true }).fill('two words');
    await flag.getByLabel('Description').fill('d');
    await flag.getByLabel('Several at once').uncheck();
    await flag.getByRole('button', { name: 'Add it' }).click();
    await page.locator('#input-flag-name-problem').waitFor();
    await flag.getByLabel('Name', { exact: true }).fill('ready');
    await flag.getByRole('button', { name: 'Add it' }).click();
    await notice('The flag type is added.');
    await unfold('ready (bug)');
    const ready = form('ready (bug)');
    await ready.getByLabel('Sort key').fill('7');
    await ready.getByLabel('Can be set').uncheck();
    await ready.getByRole('button', { name: 'Save' }).click();
    await notice('The flag type is saved.');
    expect(await pages.accessibilityViolations()).toEqual([]);

    const { products } = await read(`/rest/product?names=${encodeURIComponent(HOSTILE)}`);
    expect(products).toMatchObject([
      {
        ...{ has_unconfirmed: false, description_template: 'Steps:', is_active: true },
        components: [
          {
            ...{ name: 'Core', default_assigned_to: 'dev@bugless.example' },
            flag_types: {
              bug: [
                {
                  name: 'ready',
                  sort_key: 7,
                  is_active: false,
                  is_multiplicable: false,
                  is_requestable: true,
                },
              ],
            },
          },
        ],
      },
    ]);
  });

  it('groups of a product are added and changed; what they mean is said, and so is what is refused', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=products&product=1');
    await unfold('Another group');
    const added = form('Another group');
    await added.getByLabel('Group', { exact: true }).fill('no-such-group');
    await press('Add it');
    await page.getByText("There is no group 'no-such-group'.").waitFor();
    await added.getByLabel('Group', { exact: true }).fill('insiders');
    await added.getByLabel('Bugs of others').selectOption('MANDATORY');
    await press('Add it');
    await notice('The group is added, and bugs follow.');
    const row = page.getByRole('row', { name: 'insiders' });
    await row
      .getByText(
        'Bugs that members file are in it if who files them says so, those of others are always in it.',
      )
      .waitFor();
    await unfold('insiders');
    await form('insiders').getByLabel('Only members file bugs').check();
    await form('insiders').getByLabel('Bugs of members').selectOption('NA');
    await form('insiders').getByRole('button', { name: 'Save' }).click();
    await notice('The group is saved, and bugs follow.');
    expect(await row.innerText()).toContain('Only members file bugs.');
    expect(await pages.accessibilityViolations()).toEqual([]);
    const { group_controls } = await read('/rest/bugless/product/1/group_controls');
    expect(group_controls).toMatchObject([{ group: 'insiders', entry: true, membercontrol: 'NA' }]);
  });

  it('an account is created, gets groups, and is disabled; its rights are those that were chosen', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=people');
    await unfold('New account');
    await form('New account').getByLabel('Email address, the login').fill('no address');
    await press('Create it');
    await page.locator('#input-user-email-problem').waitFor();
    await form('New account').getByLabel('Email address, the login').fill('new@bugless.example');
    await form('New account').getByLabel('Name').fill(HOSTILE);
    await press('Create it');
    await notice('The account new@bugless.example is there.');
    await page.getByLabel('Part of a login or name').fill('new@');
    await press('Find');
    await page.getByRole('link', { name: HOSTILE }).click();
    await pages.isShown();
    await page.getByLabel('editbugs').check();
    await page.getByLabel('Why the account is disabled').fill('Left');
    await press('Save');
    await notice('The account is saved.');
    const { users } = await read('/rest/user/new@bugless.example');
    expect(users).toMatchObject([
      { real_name: HOSTILE, can_login: false, login_denied_text: 'Left', groups: [{ name: 'editbugs' }] },
    ]);
    await page.getByLabel('editbugs').uncheck();
    await press('Save');
    await notice('The account is saved.');
    expect((await read('/rest/user/new@bugless.example')).users[0].groups).toEqual([]);
  });

  it('the account of a person shows what is theirs, before it is disabled', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=people&user=dev%40bugless.example');
    await page.getByText('Default assignee of Telescope / Lens').waitFor();
    await page.getByRole('link', { name: /^\d+ assigned$/ }).click();
    await pages.isShown();
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0);
  });

  it('a group is created and changed, its members are listed, and the audit log has it', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=groups');
    await unfold('New group');
    await form('New group').getByLabel('Name').fill('editbugs');
    await form('New group').getByLabel('Description').fill('d');
    await press('Create it');
    await page.locator('#input-group-name-problem').getByText('already').waitFor();
    await form('New group').getByLabel('Name').fill('translators');
    await press('Create it');
    await notice('The group translators is there');
    await page.getByRole('link', { name: 'translators' }).click();
    await pages.isShown();
    expect(await page.locator('.rows').innerText()).toContain('admin@bugless.example');
    await page.getByLabel('Description').fill(HOSTILE);
    await press('Save');
    await notice('The group is saved.');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByLabel('Of', { exact: true }).fill('translators');
    await press('Show');
    await page.locator('.entry').first().waitFor();
    expect(await page.locator('.entry').count()).toBe(2);
    expect(await page.locator('.entry').first().innerText()).toContain(HOSTILE);
    expect(await pages.accessibilityViolations()).toEqual([]);
  });
});
