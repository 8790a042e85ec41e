import { expect, it } from 'vitest';
import { logActions } from '../../../lib/bugs/change-log/change-log.ts';
import type { LoggedChange } from '../../../lib/bugs/change-log/logged-change.ts';
import { type BugItem, bugItem } from '../../../lib/bugs/schema.ts';
import { withRequestId } from '../../../lib/table/consumption.ts';

const MILLIONS = 9_999_999;
const TIME = '2026-01-02T03:04:05Z';

const bugWith = (whiteboard: string): BugItem =>
  bugItem.parse({
    ...{
      id: MILLIONS,
      aliases: [],
      product_id: 1,
      component_id: 1,
      version: '1',
      summary: 's',
      status: 'CONFIRMED',
    },
    ...{ reporter: 'a@b', assigned_to: 'a@b', qa_contact: '', cc: [], groups: [], creation_time: TIME },
    ...{ last_change_time: TIME, comment_count: MILLIONS, last_comment_time: TIME, hours_worked: 0 },
    ...{ is_confirmed: true, revision: MILLIONS, whiteboard },
  });

/** As DynamoDB counts: names and texts in bytes, numbers about half a byte for a digit. */
const sizeOf = (item: object): number =>
  Object.entries(item).reduce(
    (size, [name, value]) =>
      size + name.length + (typeof value === 'number' ? 6 : Buffer.byteLength(String(value))),
    0,
  );

it('the largest entry of the change log stays within one write unit with the largest logged change', () => {
  // A time of its own, where the change is dated after the clock.
  const change: LoggedChange = {
    ...{ kind: 'commented', time: '2026-01-02T03:04:06Z', revision: MILLIONS, comments: [MILLIONS, 24] },
  };
  const sizes = Array.from({ length: 1_000 }, (_, length) => {
    const [action] = logActions(undefined, bugWith('x'.repeat(length)), change);
    const item = action !== undefined && 'put' in action ? action.put : {};
    return 'fields' in item && 'events' in item ? sizeOf(item) : 0;
  });
  expect(Math.max(...sizes)).toBeGreaterThan(950);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_024);
});

it.each(['JKJaXmPLvHcESHA=', '8a3f2c1d-0b4e-4f6a-9c7d-5e2b1a0f9d8c'])(
  'an entry has the id %s of its request where it takes no further write unit',
  (id) => {
    const change: LoggedChange = {
      ...{ kind: 'commented', time: '2026-01-02T03:04:06Z', revision: MILLIONS, comments: [MILLIONS, 24] },
    };
    const entryOf = (length: number) => {
      const [action] = logActions(undefined, bugWith('x'.repeat(length)), change);
      return action !== undefined && 'put' in action ? action.put : {};
    };
    const unitsOf = (item: object) => Math.ceil(sizeOf(item) / 1_024);
    const hasId = (item: object) => 'events' in item && String(item.events).includes(id);
    const lengths = Array.from({ length: 1_000 }, (_, length) => length * 5);
    const named = lengths.map((length) => withRequestId(id, () => entryOf(length)));
    expect(named.map(unitsOf)).toEqual(lengths.map((length) => unitsOf(entryOf(length))));
    expect(named.slice(0, 100).every(hasId)).toBe(true);
    expect(named.every(hasId)).toBe(false);
    expect(hasId(entryOf(1))).toBe(false);
  },
);
