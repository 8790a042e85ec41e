import { describe, expect, it } from 'vitest';
import { checkRights } from '../../../lib/bugs/permissions.ts';
import { DEFAULT_WORKFLOW } from '../../../lib/bugs/workflow.ts';
import type { Caller } from '../../../lib/people/caller.ts';
import { bugWith, FIELDS } from '../../support/searched-bugs.ts';

/** A user who is in these groups. */
const callerWith = (login: string, groups: string[] = []): Caller => ({
  user: { id: 1, login, real_name: '' },
  groups: new Set(groups),
});

const bug = bugWith({
  reporter: 'reporter@example.com',
  assigned_to: 'assignee@example.com',
  qa_contact: 'qa@example.com',
});
const change = (field_name: string, removed = 'a', added = 'b') => ({ field_name, removed, added });

function codeOf(
  login: string,
  groups: string[],
  ...changes: ReturnType<typeof change>[]
): number | undefined {
  try {
    checkRights(bug, changes, {
      editor: { caller: callerWith(login, groups), isTimeTracker: groups.includes('timetrackers') },
      fields: FIELDS,
      workflow: DEFAULT_WORKFLOW,
      home: undefined,
      target: undefined,
    });
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? Number(error.code) : -1;
  }
}

describe('the right to change a bug', () => {
  it.each<[string, string, string[]]>([
    ['members of editbugs', 'other@example.com', ['editbugs']],
    ['the assignee', 'Assignee@example.com', []],
    ['the QA contact', 'qa@example.com', []],
  ])('have %s, for every field', (_, login, groups) => {
    for (const field of ['summary', 'assigned_to', 'target_milestone', 'groups', 'cc']) {
      expect(codeOf(login, groups, change(field))).toBeUndefined();
    }
  });

  it('has the reporter, but for people and the milestone', () => {
    const login = 'reporter@example.com';
    expect(codeOf(login, [], change('summary'), change('priority'))).toBeUndefined();
    for (const field of ['assigned_to', 'qa_contact', 'target_milestone']) {
      expect(codeOf(login, [], change(field))).toBe(115);
    }
  });

  it('lets the reporter close and reopen the bug, not change between open statuses', () => {
    const login = 'reporter@example.com';
    expect(codeOf(login, [], change('status', 'CONFIRMED', 'RESOLVED'))).toBeUndefined();
    expect(codeOf(login, [], change('status', 'RESOLVED', 'CONFIRMED'))).toBeUndefined();
    expect(codeOf(login, [], change('status', 'CONFIRMED', 'IN_PROGRESS'))).toBe(123);
  });

  it('does not have another user, except to be on CC', () => {
    const login = 'other@example.com';
    expect(codeOf(login, [], change('summary'))).toBe(115);
    expect(codeOf(login, [], change('status', 'CONFIRMED', 'RESOLVED'))).toBe(123);
    expect(codeOf(login, [], change('cc', '', 'somebody@example.com'))).toBeUndefined();
    expect(codeOf(login, [], change('cc', 'Other@example.com', ''))).toBeUndefined();
    expect(codeOf(login, [], change('cc', 'somebody@example.com', ''))).toBe(32000);
  });

  it('to confirm a bug has its own group', () => {
    const confirming = [change('is_confirmed', '0', '1'), change('status', 'UNCONFIRMED', 'CONFIRMED')];
    expect(codeOf('assignee@example.com', [], ...confirming)).toBe(123);
    expect(codeOf('assignee@example.com', ['canconfirm'], ...confirming)).toBeUndefined();
    expect(codeOf('other@example.com', ['editbugs'], ...confirming)).toBeUndefined();
  });

  it('to change hours and the deadline has the group of time trackers only', () => {
    for (const field of ['deadline', 'estimated_time', 'remaining_time']) {
      expect(codeOf('other@example.com', ['editbugs'], change(field))).toBe(115);
      expect(codeOf('other@example.com', ['timetrackers'], change(field))).toBeUndefined();
    }
    const closing = [change('status', 'CONFIRMED', 'RESOLVED'), change('remaining_time', '1.00', '0.00')];
    expect(codeOf('assignee@example.com', [], ...closing)).toBeUndefined();
  });
});
