import { describe, expect, it } from 'vitest';
import { audited } from '../support/audited.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { openRecording } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions(catalogue()));

const call = (method: string, path: string, body?: unknown, as = 'admin') =>
  bugless.call(method, path, { key: keys.get(as), body });
const codeOf = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const productNamed = async (name: string) =>
  (await call('GET', `/rest/product?names=${encodeURIComponent(name)}`)).body.products[0];

describe('PUT of a component', () => {
  it('changes what is given, and responds with the component, as BMO does', async () => {
    const before = (await productNamed('Alpha')).components.find(
      ({ name }: { name: string }) => name === 'Core',
    );
    const { status, body } = await call('PUT', '/rest/component/alpha/CORE', {
      default_assignee: 'USER@example.com',
      default_cc: ['plain@example.com', 'Plain@example.com'],
      sort_key: 5,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: before.id,
      name: 'Core',
      description: before.description,
      default_assignee: 'user@example.com',
      default_qa_contact: before.default_qa_contact,
      default_cc: ['plain@example.com'],
      sort_key: 5,
      is_active: true,
    });
    expect(await audited(bugless.table, 'Alpha / Core')).toEqual([
      [
        'admin@example.com rest change component',
        `component Alpha / Core: default_assignee "${before.default_assigned_to}" → "user@example.com", ` +
          'default_cc "plain@example.com", sort_key "0" → "5"',
      ],
    ]);
  });

  const without = { cc: { remove: ['plain@example.com'] } };
  it.each<[string, [string, string], object, string[]]>([
    ['moves to it', ['Alpha', 'UI'], { component: 'Core' }, ['plain@example.com']],
    ['moves to it, but for whom the request removes', ['Alpha', 'UI'], { component: 'Core', ...without }, []],
    [
      'comes from another product',
      ['beta', 'Main'],
      { product: 'Alpha', component: 'Core', version: 'unspecified', target_milestone: '---' },
      ['plain@example.com'],
    ],
    ['stays in it', ['Alpha', 'Core'], { component: 'Core', ...without }, []],
    ['leaves it', ['Alpha', 'Core'], { component: 'UI' }, ['plain@example.com']],
  ])('gives its default CC to a bug that %s', async (_, [product, component], change, cc) => {
    await call('PUT', '/rest/component/Alpha/Core', { default_cc: ['plain@example.com'] });
    const { versions } = await productNamed(product);
    const version = versions.find(({ is_active }: { is_active: boolean }) => is_active).name;
    const { body } = await call('POST', '/rest/bug', { product, component, version, summary: 's' });
    expect((await call('PUT', `/rest/bug/${body.id}`, change)).status).toBe(200);
    const read = await call('GET', `/rest/bug/${body.id}?include_fields=cc`);
    expect(read.body.bugs[0].cc).toEqual(cc);
  });

  it('renames it, and its bugs follow', async () => {
    expect((await call('PUT', '/rest/component/Alpha/Core', { name: 'Kernel' })).body.name).toBe('Kernel');
    expect((await call('GET', '/rest/bug/2')).body.bugs[0].component).toBe('Kernel');
    const found = await call('GET', '/rest/bug?product=Alpha&component=Kernel&include_fields=id');
    expect(found.body.bugs.length).toBeGreaterThan(0);
    expect(await codeOf(call('PUT', '/rest/component/Alpha/Core', { name: 'X' }))).toEqual([404, 51]);
    expect((await call('PUT', '/rest/component/Alpha/Kernel', { name: 'Core' })).status).toBe(200);
  });

  it('names it by parameters, and by names with slashes, but not by its id', async () => {
    const [{ id }] = (await productNamed('beta')).components;
    expect(await codeOf(call('PUT', `/rest/component/${id}`, { description: 'By id' }))).toEqual([
      404, 32614,
    ]);
    const byParameters = await call('PUT', '/rest/component', {
      product: 'beta',
      component: 'Main',
      description: 'By parameters',
    });
    expect([byParameters.body.id, byParameters.body.description]).toEqual([id, 'By parameters']);
    const path = ['A/B & <C> 50% + "q"', 'x/y'].map(encodeURIComponent).join('/');
    const { status, body } = await call('PUT', `/rest/component/${path}`, { description: 'Slashes' });
    expect([status, body.name, body.description]).toEqual([200, 'x/y', 'Slashes']);
  });

  it('closes it, so that a product without others takes no bugs', async () => {
    const enterable = async () => (await call('GET', '/rest/product_enterable')).body.ids;
    const { id } = await productNamed('beta');
    expect(await enterable()).toContain(id);
    await call('PUT', '/rest/component/beta/Main', { is_active: false });
    expect(await enterable()).not.toContain(id);
    await call('PUT', '/rest/component/beta/Main', { is_open: true });
    expect(await enterable()).toContain(id);
  });

  it.each<[string, string, object, [number, number]]>([
    ['an unknown product', 'Nowhere/Core', {}, [401, 106]],
    ['an unknown component', 'Alpha/Nothing', {}, [404, 51]],
    ['an id', '99999', {}, [404, 32614]],
    ['the name of another one', 'Alpha/Core', { name: 'ui' }, [400, 1200]],
    ['a blank name', 'Alpha/Core', { name: ' ' }, [400, 32000]],
    ['a name that is too long', 'Alpha/Core', { name: 'n'.repeat(65) }, [400, 105]],
    ['a blank description', 'Alpha/Core', { description: null }, [400, 32000]],
    ['no assignee', 'Alpha/Core', { default_assignee: '' }, [400, 32000]],
    ['an unknown assignee', 'Alpha/Core', { default_assignee: 'x@example.com' }, [404, 51]],
    ['an unknown user on CC', 'Alpha/Core', { default_cc: ['x@example.com'] }, [401, 504]],
    ['a wrong sort key', 'Alpha/Core', { sort_key: '-1' }, [400, 53]],
    ['an unknown parameter', 'Alpha/Core', { triage_owner: 'x' }, [400, 53]],
  ])('refuses %s', async (_, path, body, expected) => {
    expect(await codeOf(call('PUT', `/rest/component/${path}`, body))).toEqual(expected);
  });

  it('needs parameters where the path has no names', async () => {
    expect(await codeOf(call('PUT', '/rest/component', { component: 'Main' }))).toEqual([400, 50]);
    expect(await codeOf(call('PUT', '/rest/component', { product: 'beta' }))).toEqual([400, 50]);
  });

  it('takes a hidden product for an unknown one', async () => {
    expect(await codeOf(call('PUT', '/rest/component/Secret/Vault', {}, 'editor'))).toEqual([401, 106]);
  });
});

describe.each(['version', 'milestone'] as const)('POST and PUT of a %s', (kind) => {
  const path = `/rest/bugless/${kind}`;
  const parts = `${kind}s`;
  const releaseOf = async (product: string, name: string) =>
    (await productNamed(product))[parts].find((one: { name: string }) => one.name === name);

  it('adds it, and changes its order and whether it is active', async () => {
    const added = await call('POST', path, { product: 'ALPHA', name: ' 9/1 ', sort_key: 7 }, 'editor');
    expect(added.status).toBe(201);
    const { id } = added.body;
    expect(await releaseOf('Alpha', '9/1')).toEqual({ id, name: '9/1', sort_key: 7, is_active: true });
    const changed = await call('PUT', `${path}/Alpha/9/1`, { is_active: false, sort_key: 8 });
    expect([changed.status, changed.body]).toEqual([200, { id, name: '9/1', sort_key: 8, is_active: false }]);
    expect(await releaseOf('Alpha', '9/1')).toMatchObject({ is_active: false });
    expect(await audited(bugless.table, 'Alpha / 9/1')).toEqual(
      expect.arrayContaining([
        [
          `editor@example.com rest add ${kind}`,
          `${kind} Alpha / 9/1: is_active "1", name "9/1", sort_key "7"`,
        ],
        [
          `admin@example.com rest change ${kind}`,
          `${kind} Alpha / 9/1: is_active "1" → "0", sort_key "7" → "8"`,
        ],
      ]),
    );
  });

  it('refuses duplicates in any case, unknown names, and wrong values', async () => {
    await call('POST', path, { product: 'beta', name: 'Twice' });
    const outcomes = [
      await codeOf(call('POST', path, { product: 'beta', name: 'TWICE' })),
      await codeOf(call('POST', path, { product: 'beta', name: '' })),
      await codeOf(call('POST', path, { product: 'beta', name: 'n'.repeat(65) })),
      await codeOf(call('POST', path, { name: 'X' })),
      await codeOf(call('POST', path, { product: 'Nowhere', name: 'X' })),
      await codeOf(call('POST', path, { product: 'Secret', name: 'X' }, 'editor')),
      await codeOf(call('PUT', `${path}/beta/Nothing`, { is_active: false })),
      await codeOf(call('PUT', `${path}/beta`, { is_active: false })),
      await codeOf(call('PUT', `${path}/beta/Twice`, { name: 'Once' })),
      await codeOf(call('PUT', `${path}/beta/Twice`, { sort_key: 'x' })),
    ];
    expect(outcomes).toEqual([
      [400, 32000],
      [400, 50],
      [400, 53],
      [400, 50],
      [401, 106],
      [401, 106],
      [404, 51],
      [401, 106],
      [400, 53],
      [400, 53],
    ]);
  });

  it('is for members of editcomponents', async () => {
    expect(await codeOf(call('POST', path, { product: 'beta', name: 'Y' }, 'user'))).toEqual([401, 304]);
    expect(await codeOf(call('PUT', `${path}/beta/Twice`, {}, 'user'))).toEqual([401, 304]);
    expect(await codeOf(call('PUT', `${path}/beta/Twice`, {}, 'nobody'))).toEqual([401, 410]);
  });
});

it('the default milestone stays active', async () => {
  const { default_milestone } = await productNamed('beta');
  const path = `/rest/bugless/milestone/beta/${encodeURIComponent(default_milestone)}`;
  expect(await codeOf(call('PUT', path, { is_active: false }))).toEqual([400, 53]);
});

it('components are for members of editcomponents', async () => {
  expect(await codeOf(call('PUT', '/rest/component/beta/Main', {}, 'user'))).toEqual([401, 304]);
  expect(await codeOf(call('PUT', '/rest/component', {}, 'nobody'))).toEqual([401, 410]);
});

it('parts that are added at the same time are all there', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `Same time ${index}`);
  const replies = await Promise.all(
    names.map((name) => call('POST', '/rest/bugless/version', { product: 'Comma, Inc.', name })),
  );
  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 201));
  const { versions } = await productNamed('Comma, Inc.');
  expect(versions.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names));
});

it('and all of these leave a valid table', () => expectNoViolations(bugless.table));
