import { describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { type GatewayReply, referenceCatalogue, useStarted } from '../support/bugless.ts';
import { onFirst, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startFaultyBugless);

const call = (method: string, path: string, body?: object, by: 'healthy' | 'faulty' = 'healthy') =>
  bugless[by].call(method, path, { key: keys.admin, body });

/** Makes a request; another one begins and ends between its reads and its write. */
async function interleaved(
  [method, path, first]: [string, string, object],
  second: () => Promise<GatewayReply>,
): Promise<[GatewayReply, GatewayReply]> {
  let other: Promise<GatewayReply> | undefined;
  bugless.from(
    onFirst('TransactWriteItems', () => {
      other = second();
      return { after: other };
    }),
  );
  const reply = await call(method, path, first, 'faulty');
  if (other === undefined) throw new Error('Nothing was written');
  return [reply, await other];
}

const read = async (path: string, list: string) => (await call('GET', path)).body[list][0];

describe('two updates at the same time', () => {
  it.each<{
    what: string;
    path: string;
    updates: [object, object];
    shown: () => Promise<object>;
    expected: object;
  }>([
    {
      what: 'a group',
      path: '/rest/group/secret-team',
      updates: [{ description: 'first' }, { user_regexp: 'second' }],
      shown: () => read('/rest/group?names=secret-team', 'groups'),
      expected: { description: 'first', user_regexp: 'second' },
    },
    {
      what: 'a user',
      path: '/rest/user/user@example.com',
      updates: [{ full_name: 'First' }, { login_denied_text: 'second' }],
      shown: () => read('/rest/user?names=user@example.com', 'users'),
      expected: { real_name: 'First', can_login: false },
    },
  ])('of $what are both kept', async ({ path, updates: [first, second], shown, expected }) => {
    const replies = await interleaved(['PUT', path, first], () => call('PUT', path, second));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await shown()).toMatchObject(expected);
    await expectNoViolations(bugless.healthy.table);
  });

  it('of a product, which get a component and a flag type, are both kept', async () => {
    const component = {
      product: 'Alpha',
      name: 'New',
      description: 'd',
      default_assignee: 'admin@example.com',
    };
    const flagType = { name: 'fresh', description: 'd', target_type: 'bug', inclusions: ['Alpha'] };
    const replies = await interleaved(['POST', '/rest/component', component], () =>
      call('POST', '/rest/flag_type', flagType),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const { components } = await read('/rest/product/Alpha', 'products');
    const added = components.find(({ name }: { name: string }) => name === 'New');
    expect(added.flag_types.bug).toContainEqual(expect.objectContaining({ name: 'fresh' }));
    await expectNoViolations(bugless.healthy.table);
  });
});

describe('a flag type of more products than one transaction can write', () => {
  const names = Array.from({ length: 70 }, (_, n) => `Many ${n}`);
  const last = names.at(-1);
  const typesOf = async (name: string) => {
    const { body } = await call('GET', `/rest/flag_type/${encodeURIComponent(name)}`);
    return body.bug.map((type: { id: number }) => type.id);
  };

  it('is created in all of them, once, when one of them is changed meanwhile', async () => {
    // The last one has further items, which are written before the first transaction.
    const parts = Array.from({ length: 12 }, (_, n) => ({ name: `C${n}`, description: 'x'.repeat(10_000) }));
    const products = names.map((name) => ({ name, components: name === last ? parts : [{ name: 'C' }] }));
    await applyCatalogue(bugless.healthy.table, parseCatalogue({ products }));
    const body = { name: 'many', description: 'd', target_type: 'bug', inclusions: names };
    const { promise, resolve, reject } = Promise.withResolvers<GatewayReply>();
    let transactions = 0;
    bugless.from(({ operation }) => {
      if (operation !== 'TransactWriteItems') return 'pass';
      transactions += 1;
      if (transactions !== 2) return 'pass';
      call('PUT', `/rest/product/${names[60]}`, { description: 'changed' }).then(resolve, reject);
      return { after: promise };
    });
    const create = () =>
      bugless.faulty.call('POST', '/rest/flag_type', {
        key: keys.admin,
        body,
        headers: { 'idempotency-key': 'many' },
      });
    const [{ status, body: made }, changed] = await Promise.all([create(), promise]);
    expect([status, changed.status, transactions > 2]).toEqual([201, 200, true]);
    expect((await create()).body).toEqual(made);
    for (const name of [names[0], names[60], last]) expect(await typesOf(name ?? '')).toEqual([made.id]);
    await expectNoViolations(bugless.healthy.table);
  });
});

describe('an update of several', () => {
  const { groups, users }: Pick<Catalogue, 'groups' | 'users'> = referenceCatalogue();
  const logins = users.slice(0, 3).map(({ login }) => login);
  const names = groups.slice(0, 3).map(({ name }) => name);

  it.each([
    { what: 'users', path: '/rest/user/', named: logins, update: { full_name: 'All' } },
    { what: 'groups', path: '/rest/group/', named: names, update: { description: 'All' } },
  ])('$what is one transaction', async ({ path, named: [first = '', ...others], update }) => {
    let transactions = 0;
    bugless.from(({ operation }) => {
      if (operation === 'TransactWriteItems') transactions += 1;
      return 'pass';
    });
    const target = `${path}${encodeURIComponent(first)}`;
    const { status } = await call('PUT', target, { names: others, ...update }, 'faulty');
    expect([status, transactions]).toEqual([200, 1]);
  });
});
