import { expect, it } from 'vitest';
import { bugSignature, differingFields, settingsDifferences } from '../../../lib/catalogue/canonical.ts';
import { parseCatalogue } from '../../../lib/catalogue/read.ts';

const groups = (...all: object[]) => parseCatalogue({ groups: all });

it('entries are compared by their ids: what is absent is the default, and off is not', () => {
  const group = { id: 1, name: 'a', is_active: true, member_of: [], description: '' };
  const differences = (...all: object[]) => settingsDifferences(groups({ id: 1, name: 'a' }), groups(...all));
  expect(differences(group)).toEqual([]);
  expect(differences({ ...group, is_active: false })).toEqual([
    { kind: 'groups', entry: 'a 1', change: 'changed', fields: ['is_active'] },
  ]);
  expect(differences({ ...group, id: 2 }).map(({ entry, change }) => `${entry} ${change}`)).toEqual([
    'a 1 added',
    'a 2 removed',
  ]);
});

it('keys that were made in the table are no difference', () => {
  const users = (...api_keys: object[]) => parseCatalogue({ users: [{ id: 1, login: 'a@b', api_keys }] });
  const [known, made] = ['a', 'b'].map((digit) => ({ key_sha256: digit.repeat(64) }));
  const own = { ...made, created_at: '2024-01-01T00:00:00Z' };
  expect(settingsDifferences(users(known ?? {}), users(known ?? {}, own))).toEqual([]);
  expect(settingsDifferences(users(known ?? {}), users(made ?? {}))).toHaveLength(1);
});

it('the fields in which bugs differ are named, whatever the order of lists', () => {
  const bug = { id: 1, cc: ['a', 'b'], summary: 'x', is_cc_accessible: false };
  const [one, other] = [bugSignature(bug, []), bugSignature({ ...bug, cc: ['b', 'a'] }, [])];
  expect(one).toBe(other);
  expect(
    differingFields(one, bugSignature({ ...bug, summary: 'y', is_cc_accessible: true }, [{ id: 1 }])),
  ).toEqual(['attachments', 'is_cc_accessible', 'summary']);
});
