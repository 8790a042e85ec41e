import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { findUsers, membersOf } from '../../lib/people/find-users.ts';
import { userRepository } from '../../lib/people/repository.ts';
import type { UserItem } from '../../lib/people/schema.ts';
import { openTable } from '../../lib/table/client.ts';
import { userIndexKey } from '../../lib/table/keys.ts';
import { newTable } from '../support/bugless.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

/** Every version counts as settled, so that the reader remembers as much as possible. */
const later = () => new Date(Date.now() + 60_000);

const GROUP = 'testers';
const step = fc.record({
  kind: fc.constantFrom('create', 'rename', 'disable', 'join', 'add key', 'change several'),
  target: fc.nat(),
});

it('a process that remembers users sees every change of another process immediately', async () => {
  const runs = Number(process.env['RUNS'] ?? 3);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const table = await newTable();
      let calls = 0;
      const proxy = await useFaultProxy({
        decide: ({ operation }) => {
          calls += 1;
          if (operation !== 'Query') return 'pass';
          if (calls % 7 === 0) return 'close after';
          return calls % 3 === 0 ? 'short page' : 'pass';
        },
      });
      const writer = accountRepository(table);
      const reader = userRepository(openTable(table.name, proxy.endpoint), later);
      const users = new Map<string, UserItem>();

      const change = async (logins: readonly string[], changed: (user: UserItem) => Partial<UserItem>) => {
        const writes = await Promise.all(
          logins.map(async (login) => {
            const existing = await writer.read(login);
            if (existing === undefined) throw new Error(`${login} was lost`);
            const user = { ...existing.user, ...changed(existing.user) };
            users.set(login, user);
            return { existing, desired: { user, keys: existing.keys } };
          }),
        );
        expect(await writer.writeTogether(writes)).toBe(true);
      };

      for (const [at, { kind, target }] of steps.entries()) {
        const logins = [...users.keys()];
        const login = logins[target % Math.max(1, logins.length)];
        if (kind === 'create' || login === undefined) {
          const user = {
            id: (target % 3) * 100 + at,
            login: `user${at}@example.org`,
            real_name: 'New',
            groups: [],
          };
          await writer.write(undefined, { user, keys: [] });
          users.set(user.login, user);
        } else if (kind === 'rename') await change([login], () => ({ real_name: `Name ${at}` }));
        else if (kind === 'disable') await change([login], () => ({ disabled: 'left' }));
        else if (kind === 'join')
          await change([login], ({ groups }) => ({ groups: [...new Set([...groups, GROUP])] }));
        else if (kind === 'change several')
          await change(logins, ({ id }) => ({ real_name: `All ${at} ${id}` }));
        else {
          const existing = await writer.read(login);
          const key = { hash: `hash${at}`, description: '', revoked: false };
          if (existing === undefined) throw new Error(`${login} was lost`);
          await writer.write(existing, { user: existing.user, keys: [...existing.keys, key] });
        }
        const sorted = [...users.values()].sort((a, b) => (a.login < b.login ? -1 : 1));
        const enabled = sorted.filter(({ disabled }) => disabled === undefined);
        expect(await findUsers(reader, ['*'], 0, false)).toEqual(enabled);
        expect(await findUsers(reader, ['name'], 0, true)).toEqual(
          sorted.filter(({ real_name }) => real_name.startsWith('Name')),
        );
        const members = await membersOf(reader, [GROUP]);
        expect(members.get(GROUP)).toEqual(sorted.filter(({ groups }) => groups.includes(GROUP)));
      }
    }),
    { numRuns: runs },
  );
});

it('unchanged users take one small read, a changed one a read of its shard', async () => {
  const table = await newTable();
  const proxy = await useFaultProxy();
  const writer = accountRepository(table);
  const reader = userRepository(openTable(table.name, proxy.endpoint), later);
  const create = (id: number) =>
    writer.write(undefined, {
      user: { id, login: `u${id}@example.org`, real_name: '', groups: [] },
      keys: [],
    });
  const queries = async () => {
    const before = proxy.calls.length;
    const users = (await reader.index()).flat();
    return { users: users.length, queries: proxy.calls.length - before };
  };
  await create(1);
  await create(2);
  expect(await queries()).toEqual({ users: 2, queries: 19 });
  expect(await queries()).toEqual({ users: 2, queries: 1 });
  await create(18);
  expect(await queries()).toEqual({ users: 3, queries: 3 });
  expect(await queries()).toEqual({ users: 3, queries: 1 });
});

it('a shard that has just changed is not remembered: a query may miss items of a transaction', async () => {
  const table = await newTable();
  const proxy = await useFaultProxy();
  const writer = accountRepository(table);
  const user = { id: 1, login: 'u@example.org', real_name: '', groups: [] };
  await writer.write(undefined, { user, keys: [] });
  const reader = userRepository(openTable(table.name, proxy.endpoint), () => new Date());
  for (let round = 0; round < 2; round += 1) await reader.index();
  const entries = proxy.calls.filter(({ body }) =>
    JSON.stringify(body).includes(userIndexKey(1).sk.slice(0, 9)),
  );
  expect(entries).toHaveLength(2);
});
