import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { setItem } from '../../lib/table/write.ts';
import {
  type Bugless,
  type GatewayReply,
  startBugless,
  startBuglessWithPermissions,
} from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug } from '../support/small-catalogue.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

/** Who files: member is in the group `security`, which is in `insiders`; other is in no group. */
const people = ['member', 'other', 'lead', 'editor', 'confirmer', 'admin', 'chief'];
const keyOf = (name: string) => `${name}Key`.padEnd(40, '0');

interface Control {
  membercontrol?: string;
  othercontrol?: string;
  [more: string]: unknown;
}

/** A deployment with a product for each group control, of `security` where it names no other group. */
const start = (...given: Parameters<typeof catalogueOf>): Promise<Bugless> =>
  startBugless(catalogueOf(...given));

function catalogueOf(controls: Record<string, Control | Control[]>, groups: object[] = []) {
  const memberOf: Record<string, string[]> = {
    member: ['security'],
    lead: ['leads'],
    editor: ['locals'],
    confirmer: ['triagers'],
    chief: ['editcomponents', 'security'],
    admin: ['editcomponents', 'editbugs', 'creategroups', 'admin'],
  };
  return parseNumbered({
    groups: ['security', 'leads', 'locals', 'triagers', 'editcomponents', 'editbugs', 'creategroups', 'admin']
      .map((name): object => ({ name }))
      .concat(groups),
    users: people.map((name) => ({
      login: `${name}@example.com`,
      groups: memberOf[name] ?? [],
      api_keys: [{ key: keyOf(name) }],
    })),
    products: Object.entries(controls).map(([name, control]) => ({
      name,
      components: [{ name: 'Core', default_assigned_to: 'admin@example.com' }],
      group_controls: [control].flat().map((one) => ({ group: 'security', ...one })),
    })),
  });
}

const given = { component: 'Core', version: 'unspecified', summary: 's', op_sys: 'All', platform: 'All' };

/** Files a bug. */
async function file(bugless: Bugless, who: string, product: string, more: object = {}): Promise<number> {
  const { body, status } = await bugless.call('POST', '/rest/bug', {
    key: keyOf(who),
    body: { ...given, product, ...more },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

const change = async (bugless: Bugless, who: string, id: number, body: object) =>
  (await bugless.call('PUT', `/rest/bug/${id}`, { key: keyOf(who), body })).body.code ?? 'done';

const groupsOf = async (bugless: Bugless, id: number): Promise<string[]> => {
  const { body } = await bugless.call('GET', `/rest/bug/${id}?include_fields=groups`, {
    key: keyOf('member'),
  });
  return body.bugs?.[0]?.groups ?? ['hidden'];
};

describe('a new bug', () => {
  it.each([
    ['NA', 'NA', false, false],
    ['SHOWN', 'NA', false, false],
    ['SHOWN', 'SHOWN', false, false],
    ['SHOWN', 'DEFAULT', false, true],
    ['SHOWN', 'MANDATORY', false, true],
    ['DEFAULT', 'NA', true, false],
    ['DEFAULT', 'DEFAULT', true, true],
    ['DEFAULT', 'MANDATORY', true, true],
    ['MANDATORY', 'MANDATORY', true, true],
  ])(
    'is in a group of %s/%s when a member files it: %s; another one: %s',
    async (membercontrol, othercontrol, byMember, byOther) => {
      const bugless = await start({ A: { membercontrol, othercontrol } });
      const [one, two] = [await file(bugless, 'member', 'A'), await file(bugless, 'other', 'A')];
      expect(await groupsOf(bugless, one)).toEqual(byMember ? ['security'] : []);
      expect(await groupsOf(bugless, two)).toEqual(byOther ? ['security'] : []);
      const anonymous = await bugless.call('GET', `/rest/bug/${two}`);
      expect(anonymous.status).toBe(byOther ? 401 : 200);
    },
  );

  it('is in the groups that its filer names, where the control of the filer allows them', async () => {
    const bugless = await start({
      Hidden: { membercontrol: 'SHOWN' },
      Open: { membercontrol: 'SHOWN', othercontrol: 'SHOWN' },
      Closed: { membercontrol: 'SHOWN', othercontrol: 'MANDATORY' },
    });
    const groups = ['Security'];
    await expect(file(bugless, 'other', 'Hidden', { groups })).rejects.toThrow('Security');
    expect(await groupsOf(bugless, await file(bugless, 'other', 'Open', { groups }))).toEqual(['security']);
    expect(await groupsOf(bugless, await file(bugless, 'member', 'Hidden', { groups }))).toEqual([
      'security',
    ]);
    expect(await groupsOf(bugless, await file(bugless, 'other', 'Closed', { groups: [] }))).toEqual([
      'security',
    ]);
  });

  it('of a catalogue that does not say its groups is as one of somebody in no group', async () => {
    const bugless = await start({ A: { membercontrol: 'SHOWN', othercontrol: 'MANDATORY' } });
    const bug = (id: number, more: object) => ({
      ...{ id, product: 'A', component: 'Core', summary: 's', reporter: 'other@example.com' },
      ...{ comments: [{ text: 't', creator: 'other@example.com', creation_time: '2024-01-01T00:00:00Z' }] },
      ...more,
    });
    await applyCatalogue(bugless.table, parseNumbered({ bugs: [bug(7, {}), bug(8, { groups: [] })] }));
    expect([await groupsOf(bugless, 7), await groupsOf(bugless, 8)]).toEqual([['security'], []]);
  });

  it('gets no group that is inactive', async () => {
    const bugless = await start({ A: { membercontrol: 'MANDATORY' } }, []);
    await bugless.call('PUT', '/rest/group/security', { key: keyOf('admin'), body: { is_active: false } });
    expect(await groupsOf(bugless, await file(bugless, 'member', 'A'))).toEqual([]);
  });
});

describe('the groups of a bug', () => {
  it('are changed by members, and by others only as the bug moves', async () => {
    const bugless = await start({
      A: { membercontrol: 'SHOWN', othercontrol: 'SHOWN' },
      B: { membercontrol: 'SHOWN', othercontrol: 'SHOWN' },
      C: { membercontrol: 'SHOWN', othercontrol: 'MANDATORY' },
      D: [],
    });
    const groups = { add: ['security'] };
    const [one, two] = [await file(bugless, 'other', 'A'), await file(bugless, 'other', 'A')];
    expect(await change(bugless, 'admin', one, { groups })).toBe(120);
    expect(await change(bugless, 'admin', one, { product: 'B', groups })).toBe('done');
    expect(await groupsOf(bugless, one)).toEqual(['security']);
    expect(await change(bugless, 'member', two, { groups })).toBe('done');
    const own = await file(bugless, 'member', 'A', { groups: ['security'] });
    expect(await change(bugless, 'member', own, { groups: { remove: ['security'] } })).toBe('done');

    expect(await change(bugless, 'admin', two, { product: 'C' })).toBe('done');
    expect(await groupsOf(bugless, two)).toEqual(['security']);
  });

  it('leave those behind that the other product does not have', async () => {
    const bugless = await start({ A: { membercontrol: 'SHOWN' }, D: [] });
    const id = await file(bugless, 'member', 'A', { groups: ['security'] });
    expect(await change(bugless, 'member', id, { product: 'D' })).toBe('done');
    expect(await groupsOf(bugless, id)).toEqual([]);
  });
});

it('a group with rights for one product lets its members change, or confirm, its bugs alone', async () => {
  const bugless = await start({
    A: [
      { group: 'locals', editbugs: true },
      { group: 'triagers', canconfirm: true },
    ],
    B: [],
  });
  const [here, there] = [await file(bugless, 'other', 'A'), await file(bugless, 'other', 'B')];
  expect(await change(bugless, 'editor', here, { summary: 'changed' })).toBe('done');
  expect(await change(bugless, 'editor', there, { summary: 'changed' })).toBe(115);
  const mayEdit = async (product: string) =>
    (await bugless.call('GET', `/rest/whoami?product=${product}`, { key: keyOf('editor') })).body.rights
      .edit_bugs;
  expect([await mayEdit('a'), await mayEdit('B'), await mayEdit('none')]).toEqual([true, false, false]);
  expect(await change(bugless, 'confirmer', here, { status: 'CONFIRMED' })).toBe('done');
  expect(await change(bugless, 'confirmer', there, { status: 'CONFIRMED' })).toBe(123);
});

describe('a change of group controls', () => {
  const path = (product: string) => `/rest/bugless/product/${product}/group_controls`;
  const set = (bugless: Bugless, who: string, group_controls: object[], product = 'A') =>
    bugless.call('PUT', path(product), { key: keyOf(who), body: { group_controls } });
  const timeOf = async (bugless: Bugless, id: number) =>
    (await bugless.call('GET', `/rest/bug/${id}`, { key: keyOf('member') })).body.bugs[0].last_change_time;

  it('puts all bugs into a group that becomes mandatory, and takes them out of one that becomes NA', async () => {
    const bugless = await start({ A: { membercontrol: 'SHOWN', othercontrol: 'SHOWN' } });
    const [one, two] = [
      await file(bugless, 'member', 'A', { groups: ['security'] }),
      await file(bugless, 'other', 'A'),
    ];
    const before = await timeOf(bugless, two);
    const both = async () => [await groupsOf(bugless, one), await groupsOf(bugless, two)];
    const set2 = await set(bugless, 'chief', [
      { group: 'Security', membercontrol: 'DEFAULT', othercontrol: 'DEFAULT' },
    ]);
    expect(set2.status).toBe(200);
    expect(await both()).toEqual([['security'], []]);
    const mandatory = await set(bugless, 'chief', [
      { group: 'security', membercontrol: 'MANDATORY', entry: true },
    ]);
    expect(mandatory.body).toEqual({
      id: expect.any(Number),
      name: 'A',
      group_controls: [
        {
          ...{ group: 'security', entry: true, membercontrol: 'MANDATORY', othercontrol: 'MANDATORY' },
          ...{ canedit: false, editcomponents: false, editbugs: false, canconfirm: false },
        },
      ],
    });
    expect(await both()).toEqual([['security'], ['security']]);
    expect(await timeOf(bugless, two)).toBe(before);
    expect(
      (await bugless.call('GET', `/rest/bug?groups=security&include_fields=id`, { key: keyOf('member') }))
        .body.bugs,
    ).toHaveLength(2);
    const none = await set(bugless, 'chief', [{ group: 'security', membercontrol: 'NA', entry: false }]);
    expect(none.body.group_controls).toEqual([]);
    expect(await both()).toEqual([[], []]);
    const { body } = await bugless.call('GET', '/rest/bugless/audit?of=security', { key: keyOf('admin') });
    expect(body.entries[0]).toMatchObject({
      who: 'chief@example.com',
      command: 'rest change group controls',
      changes: [
        {
          kind: 'group control',
          name: 'A / security',
          fields: { membercontrol: { removed: 'MANDATORY', added: '' }, entry: { removed: '1', added: '' } },
        },
      ],
    });
    await expectNoViolations(bugless.table);
  });

  it.each([
    [
      'an illegal combination',
      { group: 'security', membercontrol: 'DEFAULT', othercontrol: 'SHOWN' },
      400,
      53,
    ],
    ['an unknown control', { group: 'security', membercontrol: 'ALWAYS' }, 400, 53],
    ['an unknown switch', { group: 'security', bless: true }, 400, 53],
    ['an unknown group', { group: 'nobody' }, 404, 51],
    ['a group with rights', { group: 'editbugs', entry: true }, 400, 53],
  ])('is refused for %s', async (_, control, status, code) => {
    const bugless = await start({ A: [] });
    const reply = await set(bugless, 'admin', [control]);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('is refused to an editor who does not see the bugs of the product', async () => {
    const bugless = await start({
      A: [{ membercontrol: 'MANDATORY' }, { group: 'locals', editcomponents: true }],
    });
    const id = await file(bugless, 'member', 'A');
    for (const who of ['editor', 'admin']) {
      const reply = await set(bugless, who, [{ group: 'security', membercontrol: 'NA' }]);
      expect([who, reply.status, reply.body.code]).toEqual([who, 401, 106]);
      const read = await bugless.call('GET', path('A'), { key: keyOf(who) });
      expect([who, read.status]).toEqual([who, 401]);
    }
    expect(await groupsOf(bugless, id)).toEqual(['security']);
  });

  it('is refused whole where too many bugs would follow, and else does not depend on their number', async () => {
    const catalogue = catalogueOf({ A: { membercontrol: 'SHOWN' } });
    const bugs = times(1_001, (n) => aBug(n + 1, { product: 'A', component: 'Core', groups: ['security'] }));
    const bugless = await startBugless(parseNumbered({ ...catalogue, bugs }));
    const refused = await set(bugless, 'chief', [{ group: 'security', membercontrol: 'NA' }]);
    expect([refused.status, refused.body.code]).toEqual([400, 32000]);
    const { body } = await bugless.call('GET', path('A'), { key: keyOf('chief') });
    expect(body.group_controls).toMatchObject([{ group: 'security', membercontrol: 'SHOWN' }]);
    const other = await set(bugless, 'chief', [{ group: 'security', editbugs: true }]);
    expect(other.status).toBe(200);
  });

  it('that was interrupted is completed by the same request', async () => {
    const bugless = await start({ A: { membercontrol: 'SHOWN' } });
    const id = await file(bugless, 'member', 'A', { groups: ['security'] });
    const stored = (await allItems(bugless.table)).find(({ sk }) => sk === 'PRODUCT') ?? expect.fail();
    // As it is between the write of the product and those of its bugs.
    await setItem(bugless.table, { pk: stored.pk, sk: stored.sk }, { group_controls: [] });
    expect(await groupsOf(bugless, id)).toEqual(['security']);
    await set(bugless, 'chief', [{ group: 'SECURITY', membercontrol: 'NA' }]);
    expect(await groupsOf(bugless, id)).toEqual([]);
  });

  it('keeps bugs of others private unless it says otherwise', async () => {
    const bugless = await start({ A: { membercontrol: 'SHOWN', othercontrol: 'MANDATORY' } });
    await set(bugless, 'admin', [{ group: 'security', membercontrol: 'DEFAULT' }]);
    expect(await groupsOf(bugless, await file(bugless, 'other', 'A'))).toEqual(['security']);
  });

  it('is for who may edit the product: components, versions, milestones and flag types are, too', async () => {
    const bugless = await startBuglessWithPermissions(
      catalogueOf({ A: { group: 'locals', editcomponents: true }, B: [] }),
    );
    const both = async (send: (product: string) => Promise<GatewayReply>) => {
      const [here, there] = [await send('A'), await send('B')];
      return [here.status, there.status, there.body.code];
    };
    const key = keyOf('editor');
    const post = (path: string, body: object) => bugless.call('POST', path, { key, body });
    expect(
      await both((product) => set(bugless, 'editor', [{ group: 'security', canedit: true }], product)),
    ).toEqual([200, 401, 304]);
    expect(await both((product) => bugless.call('GET', path(product), { key }))).toEqual([200, 401, 304]);
    const component = { name: 'New', description: 'd', default_assignee: 'admin@example.com' };
    expect(await both((product) => post('/rest/component', { ...component, product }))).toEqual([
      201, 401, 304,
    ]);
    expect(await both((product) => post('/rest/bugless/version', { name: '9', product }))).toEqual([
      201, 401, 304,
    ]);
    expect(
      await both((product) =>
        bugless.call('PUT', `/rest/product/${product}`, { key, body: { description: 'new' } }),
      ),
    ).toEqual([200, 401, 304]);
    const type = { name: 'mine', description: 'd' };
    expect(await both((product) => post('/rest/flag_type', { ...type, inclusions: [product] }))).toEqual([
      201, 401, 106,
    ]);
    const none = await bugless.call('PUT', path('A'), { key: keyOf('other'), body: { group_controls: [] } });
    expect([none.status, none.body.code]).toEqual([401, 304]);
    expect((await post('/rest/product', { name: 'C', description: 'd', version: '1' })).body.code).toBe(304);
  });
});

describe('groups in groups', () => {
  it('have the members of those that are in them, over any depth, and in circles', async () => {
    const bugless = await start({ A: { membercontrol: 'MANDATORY', entry: true } }, [
      { name: 'core', member_of: ['security'] },
      { name: 'one', member_of: ['two'] },
      { name: 'two', member_of: ['one'] },
    ]);
    const id = await file(bugless, 'member', 'A');
    const seen = async () =>
      (await bugless.call('GET', `/rest/bug/${id}`, { key: keyOf('lead') })).status === 200;
    expect(await seen()).toBe(false);
    const leads = (member_of: string[]) =>
      applyCatalogue(bugless.table, parseNumbered({ groups: [{ name: 'leads', member_of }] }));
    await leads(['core', 'one']);
    expect(await seen()).toBe(true);
    const { body } = await bugless.call('GET', '/rest/user/lead@example.com', { key: keyOf('lead') });
    expect(body.users[0].groups.map(({ name }: { name: string }) => name)).toEqual([
      'core',
      'leads',
      'one',
      'security',
      'two',
    ]);
    await leads([]);
    expect(await seen()).toBe(false);
    await expectNoViolations(bugless.table);
  });

  it.each([
    ['repeats that are many in sum', '\\w{0,999}'.repeat(100)],
    ['repeats of groups', '(a{500}){3}b{501}'],
  ])('have no expression that takes long in every process: %s', async (_, user_regexp) => {
    const bugless = await start({ A: [] });
    const put = (body: object) => bugless.call('PUT', '/rest/group/leads', { key: keyOf('admin'), body });
    const { status, body } = await put({ user_regexp });
    expect([status, body.code]).toEqual([400, 803]);
    expect((await put({ user_regexp: '^[a-z]{1,20}@example' })).status).toBe(200);
  });

  it('are refused where their expressions do not fit the item that has them', async () => {
    // In bytes, of which these characters have three each.
    const groups = times(110, (n) => ({ name: `g${n}`, user_regexp: '漢'.repeat(990) }));
    await expect(start({ A: [] }, groups)).rejects.toThrow('groups in groups');
  });

  it('have those whose logins match an expression, while they match', async () => {
    const bugless = await start({ A: { membercontrol: 'MANDATORY' } });
    const id = await file(bugless, 'member', 'A');
    const seen = async () =>
      (await bugless.call('GET', `/rest/bug/${id}`, { key: keyOf('other') })).status === 200;
    const setExpression = (user_regexp: string) =>
      bugless.call('PUT', '/rest/group/security', { key: keyOf('admin'), body: { user_regexp } });
    for (const [expression, matches] of [
      ['(?i)^OTHER@', true],
      ['other@nowhere', false],
      ['.*', true],
      ['@EXAMPLE\\.com$', true],
      ['', false],
    ] as const) {
      expect((await setExpression(expression)).status).toBe(200);
      expect([expression, await seen()]).toEqual([expression, matches]);
    }
    const ofPerl = await setExpression('^(?#only Perl)other@');
    expect([ofPerl.status, ofPerl.body.code]).toEqual([400, 803]);
  });
});
