import { expect, it } from 'vitest';
import { describeInterface } from '../../functions/openapi.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { adminOf } from '../support/admin.ts';
import { newTable, startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';

const [ADMIN, ANN, BOB] = ['admin', 'ann', 'bob'].map((name) => name.padEnd(40, '0'));
const LOGIN = 'ann@example.com';

const user = (login: string, groups: string[], key: string | undefined) => ({
  ...{ login, groups, api_keys: [{ key }] },
});
const bugless = useStarted(() =>
  startBuglessWithPermissions(
    parseCatalogue({
      groups: [{ name: 'admin' }, { name: 'editusers' }, { name: 'team' }],
      users: [
        user('admin@example.com', ['admin', 'editusers'], ADMIN),
        user(LOGIN, ['team'], ANN),
        user('bob@example.com', [], BOB),
      ],
    }),
  ),
);

const as = async (key: string | undefined, path: string) => (await bugless.call('GET', path, { key })).body;
const userAs = async (key: string | undefined) => (await as(key, `/rest/user?names=${LOGIN}`)).users[0];

const document = JSON.stringify(describeInterface(''));

const FIELDS = [
  { name: 'real_name', parameter: 'full_name', changed: 'full_name', initial: '', value: 'Ann Example' },
  { name: 'email_enabled', parameter: 'email_enabled', changed: 'disable_mail', initial: true, value: false },
];

it.each(FIELDS)('$name of a user is the same through every interface', async (field) => {
  const { name, parameter, changed: shownAs, initial, value } = field;
  const isPublic = name === 'real_name';
  expect(await userAs(ADMIN)).toMatchObject({ [name]: initial });

  // REST: administrators, oneself, others, anonymous callers.
  const path = `/rest/user/${LOGIN}`;
  const changed = await bugless.call('PUT', path, { key: ADMIN, body: { [parameter]: value } });
  expect(Object.keys(changed.body.users[0].changes)).toEqual([shownAs]);
  expect(await userAs(ADMIN)).toMatchObject({ [name]: value });
  expect((await as(ADMIN, '/rest/group?names=team&membership=1')).groups[0].membership).toEqual([
    expect.objectContaining({ [name]: value }),
  ]);
  expect((await userAs(ANN))[name]).toBe(isPublic ? value : undefined);
  for (const key of [BOB, undefined]) {
    expect((await userAs(key))[name]).toBe(isPublic ? value : undefined);
  }
  expect(await as(ANN, '/rest/whoami')).toMatchObject({ [name]: value });
  for (const one of [name, parameter]) expect(document).toContain(`"${one}":`);

  // A catalogue.
  const [exported] = (await exportedCatalogue(bugless.table)).users.filter(
    ({ login }: { login: string }) => login === LOGIN,
  );
  expect(exported).toMatchObject({ [name]: value });
  const applied = await newTable();
  await applyCatalogue(
    applied,
    parseCatalogue({ groups: [{ name: 'team' }], users: [{ login: LOGIN, [name]: value }] }),
  );
  expect((await accountRepository(applied).read(LOGIN))?.user).toMatchObject({ [name]: value });
  await expectNoViolations(applied);

  // The command, and preferences, which set it back.
  const given = isPublic ? ['--name', 'By a command'] : ['--no-mail'];
  expect((await adminOf(applied)('user', 'change', LOGIN, ...given)).code).toBe(0);
  expect((await accountRepository(applied).read(LOGIN))?.user).toMatchObject({
    [name]: isPublic ? 'By a command' : value,
  });
  const body = { [name]: initial };
  const { body: preferences } = await bugless.call('PUT', '/rest/bugless/preferences', { key: ANN, body });
  expect(preferences).toMatchObject(body);
  expect(await userAs(ADMIN)).toMatchObject(body);
  await expectNoViolations(bugless.table);
});
