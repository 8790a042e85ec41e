import { describe, expect, it } from 'vitest';
import { attributesOf, fieldChanges } from '../../../lib/bugs/changes.ts';
import { customRow } from '../../../lib/bugs/fields/field.ts';
import { FIELD_TYPES } from '../../../lib/bugs/fields/kinds.ts';
import { bugFields } from '../../../lib/bugs/fields/registry.ts';
import { flagChanges } from '../../../lib/bugs/flags/set-flags.ts';
import type { BugInput } from '../../../lib/bugs/schema.ts';
import { recordedEntry, undo } from '../../../lib/changes/events/change.ts';
import type { BugPlace } from '../../../lib/products/place.ts';
import { bugWith, FIELDS } from '../../support/searched-bugs.ts';

const PLACE: BugPlace = { product: 'Telescope', component: 'Lens', classification: 'Apps' };

const changesOf = (
  before: Partial<BugInput>,
  after: Partial<BugInput>,
  place: Record<string, string> = {},
): ReturnType<typeof fieldChanges> => {
  const read = bugWith(before);
  const changed = { ...read, ...bugWith({ ...before, ...after }) };
  return fieldChanges(read, changed, { before: PLACE, after: { ...PLACE, ...place } }, ALL_FIELDS);
};

/** Texts that cannot be read back out of histories, where lists are joined by `, ` and flags are `name?(login)`. */
const NAMES = ['Red, Blue', 'Red', 'a?(b)', '(x)', '#1', '?', ', ', '-'];

const MULTI = customRow({
  ...{ id: 70, name: 'cf_multi', display_name: 'Colours', type: FIELD_TYPES.MULTI_SELECT, sort_key: 1 },
  ...{ is_on_bug_entry: true, is_obsolete: false, is_mandatory: false, visibility_field: null },
  ...{ visibility_values: [], values: [] },
});
const ALL_FIELDS = bugFields([...FIELDS.all, MULTI]);

/** The record of a change, as a history keeps it. */
function recordOf(before: Partial<BugInput>, after: Partial<BugInput>, place = {}) {
  const [read, changed] = [bugWith(before), bugWith({ ...before, ...after })];
  const { changes: _, ...values } = changesOf(before, after, place);
  const stored = attributesOf({ ...values, flags: [], privacy: [] });
  const entry = { pk: '', sk: '', bug_id: 1, when: '', who: '', changes: [] };
  const { record } = recordedEntry.parse({ ...entry, ...JSON.parse(JSON.stringify(stored)) });
  if (record === undefined) throw new Error('It has no record');
  return { read, changed, record: { ...record, flags: [] } };
}

describe('the record of a change', () => {
  it.each<[name: string, before: Partial<BugInput>, after: Partial<BugInput>]>([
    ['groups', { groups: NAMES.slice(0, 4) }, { groups: NAMES.slice(2) }],
    ['cc', { cc: NAMES.slice(0, 4) }, { cc: NAMES.slice(2) }],
    ['keywords', { keywords: NAMES.slice(0, 4) }, { keywords: NAMES.slice(2) }],
    ['alias', { aliases: NAMES.slice(0, 4) }, { aliases: NAMES.slice(2) }],
    ['see_also', { see_also: NAMES.slice(0, 4) }, { see_also: NAMES.slice(2) }],
    ['cf_multi', { custom: { cf_multi: NAMES.slice(0, 4) } }, { custom: { cf_multi: NAMES.slice(2) } }],
  ])('has the elements of %s, whatever is in their names', (name, before, after) => {
    const { record } = recordOf(before, after);
    expect([record.removed[name], record.added[name]]).toEqual([NAMES.slice(0, 2), NAMES.slice(4)]);
  });

  it('has people by login, bugs and places by id, and no value that a text says as it is', () => {
    const { record } = recordOf(
      { assigned_to: 'a, b', qa_contact: '', blocks: [1, 2], product_id: 3, summary: 'x', deadline: null },
      { assigned_to: 'c', qa_contact: 'd', blocks: [2, 3], product_id: 4, summary: 'y', estimated_time: 2 },
      { product: 'Abacus' },
    );
    expect(record.removed).toEqual({ assigned_to: ['a, b'], blocks: [1], product: [3] });
    expect(record.added).toEqual({ assigned_to: ['c'], blocks: [3], product: [4], qa_contact: ['d'] });
  });

  it('takes it back: who saw the bug and had a role in it', () => {
    const before = { groups: ['Red, Blue'], cc: ['a', 'B'], assigned_to: 'a', qa_contact: '' };
    const after = { groups: ['Red'], cc: ['B', 'c'], assigned_to: 'b', qa_contact: 'c' };
    const first = recordOf(before, after);
    const second = recordOf(after, { groups: [], assigned_to: 'a', cc: ['b', 'c'] });
    const audience = ({ groups, cc, assigned_to, qa_contact }: typeof first.read) => ({
      ...{ groups, assigned_to, qa_contact },
      cc: cc.toSorted(),
    });
    const undone = (...records: Parameters<typeof undo>[1]) => audience(undo(second.changed, records));
    expect(undone(second.record)).toEqual(audience(first.changed));
    expect(undone(first.record, second.record)).toEqual(audience(first.read));
    expect(undone()).toEqual(audience(second.changed));
  });

  it('keeps who sees a bug and hears of it where it is too long for an item', () => {
    const aliases = Array.from({ length: 2_000 }, (_, index) => `${index}`.padStart(40, '0'));
    const { record } = recordOf({ aliases, groups: ['Red, Blue'] }, { aliases: [], groups: [] });
    expect(record.removed).toEqual({ groups: ['Red, Blue'] });
  });
});

describe('the flags of a record', () => {
  const flag = (id: number, type_id: number, status: string, requestee: string | null = null) => ({
    ...{ id, type_id, status, setter: 'a@b', requestee, creation_date: '', modification_date: '' },
  });
  const types = NAMES.map((name, id) => ({
    ...{ id, name, description: '', target: 'bug' as const, sort_key: 9 - id, is_active: true },
    ...{ is_requestable: true, is_requesteeble: true, is_multiplicable: true, cc_list: [] },
    ...{ grant_group: null, request_group: null, components: null, excluded_components: [] },
  }));

  it('are those that were changed, cleared and set, in the order of their types', () => {
    const before = [flag(7, 1, '?', 'x)(y'), flag(8, 2, '?'), flag(9, 3, '+')];
    const after = [flag(8, 2, '-'), flag(9, 3, '+'), flag(0, 4, '+'), flag(0, 5, '?', '?(z)')];
    const setter = 'a@b';
    expect(flagChanges(before, after, types)).toEqual([
      { type_id: 5, name: '?', after: { status: '?', setter, requestee: '?(z)' } },
      { type_id: 4, name: '#1', after: { status: '+', setter, requestee: null } },
      {
        ...{ type_id: 2, name: 'a?(b)', before: { status: '?', setter, requestee: null } },
        after: { status: '-', setter, requestee: null },
      },
      { type_id: 1, name: 'Red', before: { status: '?', setter, requestee: 'x)(y' } },
    ]);
  });

  it('have no name where the history does not tell of them, because their type was not available', () => {
    expect(flagChanges([flag(7, 99, '+')], [], types, 3)).toEqual([
      { type_id: 99, attachment_id: 3, before: { status: '+', setter: 'a@b', requestee: null } },
    ]);
  });
});
