import { describe, expect, it } from 'vitest';
import { fieldChanges, historyChanges, responseChanges } from '../../../lib/bugs/changes.ts';
import type { BugInput, FieldChange } from '../../../lib/bugs/schema.ts';
import type { BugPlace } from '../../../lib/products/place.ts';
import { bugWith, FIELDS } from '../../support/searched-bugs.ts';

const PLACE: BugPlace = { product: 'Telescope', component: 'Lens', classification: 'Apps' };

const changesOf = (
  before: Partial<BugInput>,
  after: Partial<BugInput>,
  place: Record<string, string> = {},
): FieldChange[] => {
  const read = bugWith(before);
  const changed = { ...read, ...bugWith({ ...before, ...after }) };
  return fieldChanges(read, changed, { before: PLACE, after: { ...PLACE, ...place } }, FIELDS);
};

describe('the changes of a bug', () => {
  it('are the fields that differ, in the order of their names', () => {
    const changes = changesOf(
      { summary: 'old', priority: 'Low' },
      { summary: 'new', priority: 'High', url: 'http://x' },
    );
    expect(changes).toEqual([
      { field_name: 'priority', removed: 'Low', added: 'High' },
      { field_name: 'summary', removed: 'old', added: 'new' },
      { field_name: 'url', removed: '', added: 'http://x' },
    ]);
  });

  it('are the differing elements of lists, in order; a change of case is one', () => {
    const changes = changesOf(
      { cc: ['b', 'a', 'd'], blocks: [10, 9] },
      { cc: ['A', 'c', 'e', 'd'], blocks: [2, 11] },
    );
    expect(changes).toEqual([
      { field_name: 'blocks', removed: '9, 10', added: '2, 11' },
      { field_name: 'cc', removed: 'a, b', added: 'A, c, e' },
    ]);
  });

  it('are names of products and components, 0 and 1 for flags, empty texts for nothing', () => {
    const changes = changesOf(
      { is_cc_accessible: true, deadline: '2024-01-31', dupe_of: null },
      { is_cc_accessible: false, deadline: null, dupe_of: 7 },
      { product: 'Abacus', component: 'Beads' },
    );
    expect(changes).toEqual([
      { field_name: 'component', removed: 'Lens', added: 'Beads' },
      { field_name: 'deadline', removed: '2024-01-31', added: '' },
      { field_name: 'dupe_of', removed: '', added: '7' },
      { field_name: 'is_cc_accessible', removed: '1', added: '0' },
      { field_name: 'product', removed: 'Telescope', added: 'Abacus' },
    ]);
  });

  it('show hours to time trackers only', () => {
    const changes = changesOf({ remaining_time: 1 }, { remaining_time: 0.5, url: 'x' });
    expect(responseChanges(changes, true)).toEqual({
      remaining_time: { removed: '1.00', added: '0.5' },
      url: { removed: '', added: 'x' },
    });
    expect(responseChanges(changes, false)).toEqual({ url: { removed: '', added: 'x' } });
  });

  it('go into the history with hours worked and the privacy of comments, without the original of a duplicate', () => {
    const changes = changesOf({ remaining_time: 1 }, { remaining_time: 0.5, dupe_of: 7 });
    const privacy = [{ id: 2, count: 1, isPrivate: true, key: { pk: '', sk: '' } }];
    expect(historyChanges(changes, [{ work_time: 1.25 }], privacy, FIELDS)).toEqual([
      { field_name: 'remaining_time', removed: '1.00', added: '0.5' },
      { field_name: 'work_time', removed: '', added: '1.25' },
      { field_name: 'longdescs.isprivate', removed: '0', added: '1' },
    ]);
  });
});
