import { expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(() => startBugless());
const none = {
  ...{
    edit_components: false,
    edit_bugs: true,
    can_confirm: false,
    edit_users: false,
    create_groups: false,
  },
  ...{ insider: false, time_tracker: false, comment_tagger: false, read_audit: false },
};

it.each([
  ['plain', {}],
  ['admin', Object.fromEntries(Object.keys(none).map((right) => [right, true]))],
  ['tracker', { time_tracker: true }],
  ['editor', { edit_components: true }],
  ['insider', { insider: true, comment_tagger: true }],
] as const)('whoami tells the rights of %s', async (who, rights) => {
  const { body } = await bugless.call('GET', '/rest/whoami', { key: keys[who] });
  expect(body).toMatchObject({ email_enabled: true, rights: { ...none, ...rights } });
});
