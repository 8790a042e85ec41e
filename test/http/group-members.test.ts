import { describe, expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';

const keyOf = (name: string) => name.padEnd(40, '0');
const user = (name: string, groups: string[], more: object = {}) => ({
  ...{ login: `${name}@example.com`, real_name: `Name of ${name}`, groups, api_keys: [{ key: keyOf(name) }] },
  ...more,
});

const bugless = useStarted(() =>
  startBuglessWithPermissions(
    parseCatalogue({
      groups: [{ id: 5, name: 'team' }, { id: 6, name: 'other' }, { name: 'editusers' }],
      users: [
        user('admin', ['editusers']),
        user('member', ['team']),
        user('second', ['team', 'other']),
        user('outsider', ['other']),
        user('gone', ['team'], { disabled: 'Left' }),
      ],
    }),
  ),
);

const ask = async (query: string, as?: string) => {
  const key = as === undefined ? undefined : keyOf(as);
  const { body } = await bugless.call('GET', `/rest/user?${query}`, { key });
  return body.users?.map(({ name }: { name: string }) => name.split('@')[0]).sort() ?? body.code;
};
const ids = async (names: string[]) => {
  const query = names.map((name) => `names=${name}@example.com`).join('&');
  const { body } = await bugless.call('GET', `/rest/user?${query}`, { key: keyOf('admin') });
  return body.users.map(({ id }: { id: number }) => `ids=${id}`).join('&');
};

describe('the groups of a request for users', () => {
  const named = 'names=member@example.com&names=outsider@example.com&names=admin@example.com';

  it.each(['groups=team', 'groups=TEAM', 'group_ids=5'])(
    'filter names, ids, and matches: %s',
    async (group) => {
      for (const as of ['member', 'admin']) {
        expect(await ask(`${named}&${group}`, as)).toEqual(['member']);
        expect(await ask(`${await ids(['member', 'outsider'])}&${group}`, as)).toEqual(['member']);
        expect(await ask(`match=example&${group}`, as)).toEqual(['member', 'second']);
        expect(await ask(`match=*&limit=1&${group}`, as)).toEqual(['member']);
        expect(await ask(`match=outsider@example.com&${group}`, as)).toEqual([]);
        expect(await ask(group, as)).toEqual(['member', 'second']);
        expect(await ask(`${group}&include_disabled=1`, as)).toEqual(['gone', 'member', 'second']);
        expect(await ask(`${group}&limit=1`, as)).toEqual(['member']);
      }
      const path = await bugless.call('GET', `/rest/user/outsider@example.com?${group}`, {
        key: keyOf('member'),
      });
      expect(path.body.users).toEqual([]);
    },
  );

  it('are alternatives', async () => {
    expect(await ask(`${named}&groups=team&groups=other`, 'second')).toEqual(['member', 'outsider']);
    expect(await ask(`${named}&groups=team&group_ids=6`, 'second')).toEqual(['member', 'outsider']);
  });

  it.each([
    ['another group', 'groups=team', 'outsider'],
    ['another group by its id', 'group_ids=5', 'outsider'],
    ['one of several groups', 'groups=team&groups=other', 'member'],
    ['an unknown group', 'groups=nosuch', 'member'],
    ['an unknown group', 'groups=nosuch', 'admin'],
    ['an unknown group by its id', 'group_ids=99', 'admin'],
  ])('are refused for %s: %s as %s', async (_, group, as) => {
    for (const query of ['match=example', named, await ids(['member'])]) {
      expect(await ask(`${query}&${group}`, as)).toBe(804);
    }
    expect(await ask(group, as)).toBe(804);
  });

  it('have ids that are numbers, and are at most 100', async () => {
    expect(await ask('match=example&group_ids=abc', 'admin')).toBe(52);
    const many = Array.from({ length: 101 }, (_, n) => `group_ids=${n + 1}`).join('&');
    expect(await ask(many, 'admin')).toBe(32_000);
    expect(await ask(many, 'outsider')).toBe(32_000);
  });

  it('are refused for anonymous callers', async () => {
    expect(await ask(`${named}&groups=team`)).toBe(804);
    expect(await ask('groups=team')).toBe(505);
  });
});

it('a match that is a complete login finds a disabled user', async () => {
  expect(await ask('match=GONE@example.com', 'outsider')).toEqual(['gone']);
  expect(await ask('match=gone@example.co', 'outsider')).toEqual([]);
  expect(await ask('match=gone@example.co&include_disabled=1', 'outsider')).toEqual(['gone']);
  expect(await ask('match=example', 'outsider')).toEqual(['admin', 'member', 'outsider', 'second']);
});
