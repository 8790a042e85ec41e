import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { usePages } from '../support/pages.ts';

const ADMIN = 'AdminDemoKey0000000000000000000000000000';
const DEV = 'DevDemoKey000000000000000000000000000000';
const HOSTILE = `<img src=x onerror=alert(1)>"'&`;

describe.skipIf(!hasBrowser())('administration in a browser', () => {
  const pages = usePages();
  const press = (name: string) => pages.page.getByRole('button', { name, exact: true }).click();
  const form = (name: string) =>
    pages.page.getByRole(name.startsWith('Edit') ? 'row' : 'form', { name, exact: true });
  const notice = (text: string) => pages.page.locator('#notice').getByText(text).waitFor();
  /** A part of the product that is shown. */
  const part = async (name: string) => {
    await pages.page.locator('nav.tabs').getByRole('link', { name }).click();
    await pages.isShown();
  };
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
    await page.getByRole('region', { name: 'Groups', exact: true }).waitFor();
    const back = { groups: { remove: ['creategroups'] } };
    await bugless.call('PUT', '/rest/user/dev@bugless.example', { key: ADMIN, body: back });
    await openAs('', '/admin');
    await page.getByText('Sign in to administrate.').waitFor();
  });

  it('a product is created and changed, with components and flag types; refusals are said at their field', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin');
    await press('New product');
    const created = form('New product');
    await created.getByLabel('Name').fill('TELESCOPE');
    await created.getByLabel('First version').fill('1');
    await created.getByLabel('Description').fill('d');
    await press('Create');
    await page.locator('#input-new-product-name-problem').getByText('only in case').waitFor();
    await created.getByLabel('Name').fill(HOSTILE);
    await press('Create');
    await notice('is there. It takes bugs');
    await page.getByRole('link', { name: HOSTILE }).click();
    await pages.isShown();

    await part('Description');
    await form('The product').getByLabel('Template of the description').fill('Steps:');
    await form('The product').getByLabel('Bugs may be UNCONFIRMED').uncheck();
    await press('Save');
    await notice('The product is saved.');
    await part('Components');
    await press('New component');
    await form('New component').getByLabel('Name').fill('Core');
    await form('New component').getByLabel('Description').fill('d');
    await form('New component').getByLabel('Default assignee').fill('nobody@bugless.example');
    await press('Create');
    await page.locator('#input-new-component-default_assignee-problem').getByText('nobody@').waitFor();
    await form('New component').getByLabel('Default assignee').fill('dev@bugless.example');
    await press('Create');
    await notice('The component is added.');
    await press('Edit Core');
    await form('Edit Core').getByLabel('Name').fill('Kernel');
    await form('Edit Core').getByLabel('Default QA contact').fill('guard@bugless.example');
    await form('Edit Core').getByRole('button', { name: 'Save' }).click();
    await notice('The component Kernel is saved.');
    await part('Versions');
    await press('New version');
    await form('New version').getByLabel('Name').fill('2');
    await press('Create');
    await notice('The version is added.');
    await press('Edit 2');
    await form('Edit 2').getByLabel('Can be chosen').uncheck();
    await form('Edit 2').getByRole('button', { name: 'Save' }).click();
    await notice('The version 2 is saved.');
    await part('Flags');
    await press('New flag type');
    const flag = form('New flag type');
    await flag.getByLabel('Name', { exact: true }).fill('two words');
    await flag.getByLabel('Description').fill('d');
    await flag.getByLabel('Several at once').uncheck();
    await press('Create');
    await page.locator('#input-new-flag-name-problem').waitFor();
    await flag.getByLabel('Name', { exact: true }).fill('ready');
    await press('Create');
    await notice('The flag type is added.');
    await press('Edit ready (bug)');
    const ready = form('Edit ready (bug)');
    await ready.getByLabel('Sort key').fill('7');
    await ready.getByLabel('Can be set').uncheck();
    await ready.getByRole('button', { name: 'Save' }).click();
    await notice('The flag type is saved.');
    expect(await pages.accessibilityViolations()).toEqual([]);

    const { products } = await read(`/rest/product?names=${encodeURIComponent(HOSTILE)}`);
    expect(products).toMatchObject([
      {
        ...{ has_unconfirmed: false, description_template: 'Steps:', is_active: true },
        versions: expect.arrayContaining([expect.objectContaining({ name: '2', is_active: false })]),
        components: [
          {
            ...{ name: 'Kernel', default_assigned_to: 'dev@bugless.example' },
            default_qa_contact: 'guard@bugless.example',
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
    await openAs(ADMIN, '/admin?tab=products&product=1&part=groups');
    await press('New group');
    const added = form('New group');
    await added.getByLabel('Group', { exact: true }).fill('no-such-group');
    await press('Create');
    await page.getByText("There is no group 'no-such-group'.").waitFor();
    await added.getByLabel('Group', { exact: true }).fill('insiders');
    await added.getByLabel('Bugs of others').selectOption('MANDATORY');
    await press('Create');
    await notice('The group is added, and bugs follow.');
    const row = page.locator('tr', { hasText: 'insiders' });
    await row
      .getByText(
        'Bugs that members file are in it if who files them says so, those of others are always in it.',
      )
      .waitFor();
    await press('Edit insiders');
    await form('Edit insiders').getByLabel('Only members file bugs').check();
    await form('Edit insiders').getByLabel('Bugs of members').selectOption('NA');
    await form('Edit insiders').getByRole('button', { name: 'Save' }).click();
    await notice('The group is saved, and bugs follow.');
    expect(await row.innerText()).toContain('Only members file bugs.');
    expect(await pages.accessibilityViolations()).toEqual([]);
    const { group_controls } = await read('/rest/bugless/product/1/group_controls');
    expect(group_controls).toMatchObject([{ group: 'insiders', entry: true, membercontrol: 'NA' }]);
  });

  it('an account is created, gets groups, and is disabled; its rights are those that were chosen', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=people');
    await press('New account');
    await form('New account').getByLabel('Email address, the login').fill('no address');
    await press('Create');
    await page.locator('#input-new-user-email-problem').waitFor();
    await form('New account').getByLabel('Email address, the login').fill('new@bugless.example');
    await form('New account').getByLabel('Name').fill(HOSTILE);
    await press('Create');
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
    await page.locator('tr', { hasText: 'default assignee' }).getByText('Telescope / Lens').first().waitFor();
    for (const [from, to] of [
      ['dev', 'guard'],
      ['guard', 'dev'],
    ]) {
      await openAs(ADMIN, `/admin?tab=people&user=${from}%40bugless.example`);
      await form('Hand over').getByLabel('Give what stands at components to').fill(`${to}@bugless.example`);
      await press('Hand over');
      await notice(`Handed over to ${to}@bugless.example.`);
      const { products } = await read('/rest/product?names=Telescope');
      expect(products[0].components[0].default_assigned_to).toBe(`${to}@bugless.example`);
    }
    await openAs(ADMIN, '/admin?tab=people&user=dev%40bugless.example');
    await page.getByRole('link', { name: /^\d+ assigned$/ }).click();
    await pages.isShown();
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0);
  });

  it('milestones are moved', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=products&product=1&part=releases');
    const names = async () =>
      (await read('/rest/product?names=Telescope')).products[0].milestones.map(
        ({ name }: { name: string }) => name,
      );
    const before = await names();
    const [from = '', to = ''] = before.slice(-2);
    for (const way of ['up', 'down']) {
      await press(`Move milestone ${to} ${way}`);
      await notice(`The milestone ${to} is moved.`);
      const order = way === 'up' ? [...before.slice(0, -2), to, from] : before;
      await expect.poll(names).toEqual(order);
    }
    expect(await page.locator('[id$="-down"]:focus, [id$="-up"]:focus, #notice:focus').count()).toBe(1);
  });

  it('a group is created and changed, its members are listed, and the audit log has it', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=groups');
    await press('New group');
    await form('New group').getByLabel('Name').fill('editbugs');
    await form('New group').getByLabel('Description').fill('d');
    await press('Create');
    await page.locator('#input-new-group-name-problem').getByText('already').waitFor();
    await form('New group').getByLabel('Name').fill('translators');
    await press('Create');
    await notice('The group translators is there');
    await page.getByRole('link', { name: 'translators' }).click();
    await pages.isShown();
    expect(await page.getByRole('region', { name: 'Members', exact: true }).innerText()).toContain(
      'admin@bugless.example',
    );
    await page.getByLabel('Description').fill(HOSTILE);
    await press('Save');
    await notice('The group is saved.');
    await pages.open('/admin?tab=audit');
    await page.getByLabel('Of', { exact: true }).fill('translators');
    await press('Show');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    expect(await page.locator('tbody tr').first().innerText()).toContain(HOSTILE);
    expect(await pages.accessibilityViolations()).toEqual([]);
  });

  it('keywords are added and changed, and the values of a field are counted', async () => {
    const { page } = pages;
    await openAs(ADMIN, '/admin?tab=keywords');
    await press('New keyword');
    await form('New keyword').getByLabel('Name').fill('regression');
    await form('New keyword').getByLabel('Description').fill('d');
    await press('Create');
    await page.locator('#input-new-keyword-name-problem').or(page.locator('#new-keyword-problem')).waitFor();
    await form('New keyword').getByLabel('Name').fill('hard');
    await press('Create');
    await notice('The keyword is added.');
    await press('Edit hard');
    await form('Edit hard').getByLabel('Description').fill(HOSTILE);
    await form('Edit hard').getByRole('button', { name: 'Save' }).click();
    await notice('The keyword hard is saved.');
    expect((await read('/rest/bugless/keyword')).keywords).toContainEqual({
      name: 'hard',
      description: HOSTILE,
    });
    await pages.open('/admin?tab=fields');
    await page.getByRole('link', { name: 'Priority' }).click();
    await pages.isShown();
    await press('Count the bugs of each');
    await page.locator('tr', { hasText: 'High' }).getByText(/^\d+$/).first().waitFor();
    await page.getByText('npm run admin -- apply').waitFor();
  });

  it('2,000 components are shown by 50, and found by typing', async () => {
    const { page } = pages;
    await page.route('**/rest/product?ids=1', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const [component] = body.products[0].components;
      const many = Array.from({ length: 2_000 }, (_, n) => ({
        ...component,
        id: 1_000 + n,
        name: `Part ${n} ${'x'.repeat(50)}`,
      }));
      body.products[0].components.push(...many);
      await route.fulfill({ json: body });
    });
    await openAs(ADMIN, '/admin?tab=products&product=1');
    expect(await page.locator('tbody tr').count()).toBe(50);
    await press('Next');
    await page.getByText('51 to 100 of').waitFor();
    await page.getByLabel('Filter: Components').fill('part 1999');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
