import { describe, expect, it } from 'vitest';
import { changeState as changeStateIn, type StateUpdate } from '../../../lib/bugs/change/status.ts';
import { DEFAULT_WORKFLOW } from '../../../lib/bugs/workflow.ts';

const open = { status: 'CONFIRMED', resolution: '', dupe_of: null, is_confirmed: true };
const closed = { ...open, status: 'RESOLVED', resolution: 'FIXED' };
const change = (given: Partial<StateUpdate>): StateUpdate => ({
  status: undefined,
  resolution: undefined,
  dupeOf: undefined,
  hasComment: false,
  duplicateStatus: 'RESOLVED',
  ...given,
});

type Arguments = Parameters<typeof changeStateIn>;
const changeState = (bug: Arguments[0], given: Arguments[1], hasUnconfirmed: boolean) =>
  changeStateIn(bug, given, hasUnconfirmed, DEFAULT_WORKFLOW);

describe('the state of a bug', () => {
  it('is open, unless it is resolved, verified or closed', () => {
    expect(DEFAULT_WORKFLOW.open).toEqual(['UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS']);
    expect(DEFAULT_WORKFLOW.isOpen('WAITING')).toBe(true);
    expect(DEFAULT_WORKFLOW.isOpen('CLOSED')).toBe(false);
  });

  it.each([
    ['UNCONFIRMED', 'IN_PROGRESS', true],
    ['CONFIRMED', 'UNCONFIRMED', false],
    ['CONFIRMED', 'VERIFIED', false],
    ['IN_PROGRESS', 'CONFIRMED', true],
    ['RESOLVED', 'VERIFIED', true],
    ['RESOLVED', 'IN_PROGRESS', false],
    ['VERIFIED', 'CONFIRMED', true],
    ['VERIFIED', 'RESOLVED', false],
    ['VERIFIED', 'VERIFIED', true],
  ])('may change from %s to %s: %s', (from, to, isAllowed) => {
    const resolution = DEFAULT_WORKFLOW.isOpen(from) ? '' : 'FIXED';
    const make = () => changeState({ ...open, status: from, resolution }, change({ status: to }), true);
    if (isAllowed) expect(make().status).toBe(to);
    else expect(make).toThrow(expect.objectContaining({ code: 123 }));
  });

  it('becomes unconfirmed only where the product has that', () => {
    expect(changeState(closed, change({ status: 'UNCONFIRMED' }), true)).toMatchObject({
      status: 'UNCONFIRMED',
      is_confirmed: false,
    });
    expect(() => changeState(closed, change({ status: 'UNCONFIRMED' }), false)).toThrow(
      expect.objectContaining({ code: 123 }),
    );
  });

  it('is confirmed with another open status', () => {
    const unconfirmed = { ...open, status: 'UNCONFIRMED', is_confirmed: false };
    expect(changeState(unconfirmed, change({ status: 'IN_PROGRESS' }), true).is_confirmed).toBe(true);
    const resolved = changeState(unconfirmed, change({ status: 'RESOLVED', resolution: 'INVALID' }), true);
    expect(resolved.is_confirmed).toBe(false);
  });

  it('has a resolution exactly where it is closed', () => {
    expect(() => changeState(open, change({ status: 'RESOLVED' }), true)).toThrow(
      expect.objectContaining({ code: 121 }),
    );
    expect(() => changeState(open, change({ resolution: 'FIXED' }), true)).toThrow(
      expect.objectContaining({ code: 122 }),
    );
    expect(() => changeState(closed, change({ resolution: '' }), true)).toThrow(
      expect.objectContaining({ code: 121 }),
    );
    expect(changeState(closed, change({ status: 'CONFIRMED' }), true).resolution).toBe('');
    expect(changeState(closed, change({ resolution: 'WONTFIX' }), true).resolution).toBe('WONTFIX');
  });

  it('is resolved as the duplicate of another bug', () => {
    expect(changeState(open, change({ dupeOf: 7 }), true)).toMatchObject({
      status: 'RESOLVED',
      resolution: 'DUPLICATE',
      dupe_of: 7,
    });
    expect(() => changeState(open, change({ status: 'RESOLVED', resolution: 'DUPLICATE' }), true)).toThrow(
      expect.objectContaining({ code: 119 }),
    );
    const duplicate = { ...closed, resolution: 'DUPLICATE', dupe_of: 7 };
    expect(changeState(duplicate, change({ resolution: 'FIXED' }), true).dupe_of).toBeNull();
    expect(changeState(duplicate, change({ status: 'CONFIRMED' }), true).dupe_of).toBeNull();
  });
});
