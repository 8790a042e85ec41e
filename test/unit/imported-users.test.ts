import { describe, expect, it } from 'vitest';
import { mergeImported } from '../../lib/people/imported.ts';
import { IMPORTED, IMPORTED_UNMAILED, type ImportedState, type UserItem } from '../../lib/people/schema.ts';

type State = Pick<UserItem, 'disabled' | 'email_enabled'> & { groups: string[] };

const known = (state: State, imported?: ImportedState) => ({
  user: { id: 1, login: 'a@example.com', real_name: '', ...state },
  imported,
});
const THERE: ImportedState = { disabled: null, email_enabled: true, groups: [] };
const LEFT = 'Left the company';

describe('the state of a new user', () => {
  it.each<[string, ImportedState, State]>([
    ['is mailed, and waits for a key', THERE, { disabled: IMPORTED, groups: [] }],
    ['is disabled, as there', { ...THERE, disabled: LEFT }, { disabled: LEFT, groups: [] }],
    [
      'has mail off, as there',
      { ...THERE, email_enabled: false },
      { disabled: IMPORTED, email_enabled: false, groups: [] },
    ],
    ['has the groups from there', { ...THERE, groups: ['team'] }, { disabled: IMPORTED, groups: ['team'] }],
    [
      'is not mailed, where that is not told',
      { disabled: null },
      { disabled: IMPORTED_UNMAILED, groups: [] },
    ],
    ['is not mailed, where nothing is told', {}, { disabled: IMPORTED_UNMAILED, groups: [] }],
  ])('%s', (_, given, state) => expect(mergeImported(undefined, given)?.state).toEqual(state));
});

describe('a later import', () => {
  it.each<[string, State, ImportedState | undefined, ImportedState, State]>([
    [
      'disables who left there, also with a key here',
      { groups: [] },
      THERE,
      { ...THERE, disabled: LEFT },
      { disabled: LEFT, groups: [] },
    ],
    [
      'keeps who was enabled here',
      { groups: [] },
      { ...THERE, disabled: LEFT },
      { ...THERE, disabled: LEFT },
      { groups: [] },
    ],
    [
      'keeps who was disabled here',
      { disabled: 'Spam', groups: [] },
      THERE,
      { ...THERE, disabled: LEFT },
      { disabled: 'Spam', groups: [] },
    ],
    [
      'lets who came back there wait for a key',
      { disabled: LEFT, groups: [] },
      { ...THERE, disabled: LEFT },
      THERE,
      { disabled: IMPORTED, groups: [] },
    ],
    [
      'switches off mails',
      { groups: [] },
      THERE,
      { ...THERE, email_enabled: false },
      { email_enabled: false, groups: [] },
    ],
    [
      'keeps mails that were switched on here',
      { groups: [] },
      { ...THERE, email_enabled: false },
      { ...THERE, email_enabled: false },
      { groups: [] },
    ],
    [
      'keeps mails that were switched off here',
      { email_enabled: false, groups: [] },
      THERE,
      THERE,
      { email_enabled: false, groups: [] },
    ],
    [
      'brings groups that were joined and left, and keeps those that were joined and left here',
      { groups: ['here', 'Lost'] },
      { ...THERE, groups: ['lost', 'left-here'] },
      { ...THERE, groups: ['left-here', 'joined'] },
      { groups: ['here', 'joined'] },
    ],
    [
      'changes nothing that is not told',
      { disabled: LEFT, email_enabled: false, groups: ['team'] },
      { disabled: LEFT, email_enabled: false, groups: ['team'] },
      {},
      { disabled: LEFT, email_enabled: false, groups: ['team'] },
    ],
    [
      'mails those of whom it is told now that they get mails',
      { disabled: IMPORTED_UNMAILED, groups: [] },
      { disabled: null },
      THERE,
      { disabled: IMPORTED, groups: [] },
    ],
    [
      'goes on mailing those of whom it was told once',
      { disabled: IMPORTED, groups: [] },
      THERE,
      { disabled: null },
      { disabled: IMPORTED, groups: [] },
    ],
    [
      'disables those who were imported by an earlier version, and left',
      { disabled: IMPORTED, groups: [] },
      undefined,
      { ...THERE, disabled: LEFT },
      { disabled: LEFT, groups: [] },
    ],
    [
      'does not mail those who were imported by an earlier version, where it is not told',
      { disabled: IMPORTED, groups: [] },
      undefined,
      { disabled: null },
      { disabled: IMPORTED_UNMAILED, groups: [] },
    ],
  ])('%s', (_, here, last, given, state) =>
    expect(mergeImported(known(here, last), given)?.state).toEqual(state),
  );

  it('leaves alone whom the table had before the first one', () => {
    const account = known({ groups: ['editcomponents'] });
    expect(mergeImported(account, { ...THERE, disabled: LEFT, groups: ['team'] })).toBeUndefined();
  });

  it('remembers what it brought, and what an earlier one was told', () => {
    const last = { disabled: LEFT, email_enabled: false, groups: ['team'] };
    const account = known({ disabled: LEFT, groups: [] }, last);
    expect(mergeImported(account, { disabled: null })?.imported).toEqual({ ...last, disabled: null });
    expect(mergeImported(account, { disabled: 'Disabled in Bugzilla' })?.imported).toEqual(last);
  });
});

it('what was changed here stands, also where the Bugzilla agrees with it for a while', () => {
  const here: State = { disabled: 'Left', email_enabled: false, groups: ['joined here'] };
  const same: ImportedState = { disabled: 'Left', email_enabled: false, groups: ['joined here'] };
  const brought = { ...THERE, groups: ['left here'] };
  const first = mergeImported(known(here, brought), same);
  expect(first?.state).toEqual(here);
  const second = mergeImported(known(here, first?.imported), brought);
  expect(second?.state).toEqual(here);
});
