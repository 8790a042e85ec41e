import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, serveWithPermissions } from '../support/bugless.ts';

const ADMIN = 'admin@example.com';
const KEY = 'k'.repeat(40);
const USER = 'user@example.com';
const long = (length: number) => 'x'.repeat(length);

/** One rule at each door: REST, command, catalogue; `catalogue` takes what tables of earlier versions have. */
const RULES: readonly (readonly [
  string,
  readonly [string, string, object] | undefined,
  readonly string[],
  object,
  boolean,
])[] = [
  [
    'a real name of 256 characters',
    ['PUT', `/rest/user/${USER}`, { full_name: long(256) }],
    ['user', 'change', USER, '--name', long(256)],
    { users: [{ login: USER, real_name: long(256) }] },
    true,
  ],
  [
    'a real name with a control character',
    ['PUT', `/rest/user/${USER}`, { full_name: 'a\u0007' }],
    ['user', 'change', USER, '--name', 'a\u0007'],
    { users: [{ login: USER, real_name: 'a\u0007' }] },
    false,
  ],
  [
    'a new user with such a name',
    ['POST', '/rest/user', { email: 'new@example.com', full_name: long(256) }],
    ['user', 'add', 'new@example.com', '--name', long(256)],
    { users: [{ login: 'new@example.com', real_name: long(256) }] },
    true,
  ],
  [
    'a login that exists',
    ['POST', '/rest/user', { email: USER.toUpperCase() }],
    ['user', 'add', USER.toUpperCase()],
    { users: [{ login: USER.toUpperCase() }] },
    false,
  ],
  [
    'a reason of 10,001 characters',
    ['PUT', `/rest/user/${USER}`, { login_denied_text: long(10_001) }],
    ['user', 'change', USER, '--disable', long(10_001)],
    { users: [{ login: USER, disabled: long(10_001) }] },
    true,
  ],
  [
    'an unknown group',
    ['PUT', `/rest/user/${USER}`, { groups: { add: ['nowhere'] } }],
    ['user', 'change', USER, '--group', 'nowhere'],
    { users: [{ login: USER, groups: ['nowhere'] }] },
    false,
  ],
  [
    'a group without a description',
    ['POST', '/rest/group', { name: 'blank', description: ' ' }],
    ['group', 'add', 'blank', '--description', ' '],
    { groups: [{ name: 'blank', description: ' ' }] },
    true,
  ],
  [
    'a group with a description of 10,001 characters',
    ['POST', '/rest/group', { name: 'long', description: long(10_001) }],
    ['group', 'add', 'long', '--description', long(10_001)],
    { groups: [{ name: 'long', description: long(10_001) }] },
    true,
  ],
  [
    'a group whose name is a number',
    ['POST', '/rest/group', { name: '12', description: 'd' }],
    ['group', 'add', '12', '--description', 'd'],
    { groups: [{ name: '12', description: 'd' }] },
    false,
  ],
  [
    'a group with the name of another one',
    ['POST', '/rest/group', { name: 'EDITUSERS', description: 'd' }],
    ['group', 'add', 'EDITUSERS', '--description', 'd'],
    { groups: [{ name: 'EDITUSERS', id: 99, description: 'd' }] },
    true,
  ],
  [
    'the description of a key on two lines',
    undefined,
    ['key', 'create', USER, '--description', 'a\nb'],
    { users: [{ login: USER, api_keys: [{ key: long(40), description: 'a\nb' }] }] },
    true,
  ],
  [
    'the description of a key of 256 characters',
    undefined,
    ['key', 'create', USER, '--description', long(256)],
    { users: [{ login: USER, api_keys: [{ key: long(40), description: long(256) }] }] },
    true,
  ],
];

async function start() {
  const table = await newTable(
    parseCatalogue({
      groups: ['editusers', 'creategroups'].map((name) => ({ name, description: name })),
      users: [
        { login: ADMIN, groups: ['editusers', 'creategroups'], api_keys: [{ key: KEY }] },
        { login: USER },
      ],
    }),
  );
  return { table, bugless: await serveWithPermissions(table, {}) };
}

it.each(RULES)(
  '%s is refused by REST and by commands alike',
  async (_, request, args, catalogue, isTaken) => {
    const { table, bugless } = await start();
    const applied = async () => applyCatalogue(table, parseCatalogue(catalogue));
    if (request !== undefined) {
      const [method, path, body] = request;
      expect((await bugless.call(method, path, { key: KEY, body })).status).toBeGreaterThanOrEqual(400);
    }
    expect((await adminOf(table)(...args)).code).toBeGreaterThan(0);
    if (isTaken) await applied();
    else await expect(applied()).rejects.toThrow();
  },
);
