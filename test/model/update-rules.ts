import { lastChange, loginOf, once, productOf } from './bug-rules.ts';
import { findBug } from './bug-visibility.ts';
import { addComment, type Draft, tidied } from './comment-rules.ts';
import type { Given } from './model.ts';
import { mayEditBugs } from './product-rules.ts';
import { type Caller, flag, list, Refusal, requireLogin, text } from './send-request.ts';
import { type Bug, type FieldChange, same, type World } from './world.ts';

type Fields = Pick<
  Bug,
  'cc' | 'is_confirmed' | 'hours_left' | 'resolution' | 'status' | 'summary' | 'whiteboard'
>;

/** Updates all selected bugs or none. */
export function updateBugs(world: World, caller: Caller, { path, parameters, generated }: Given) {
  requireLogin(caller);
  const wanted = readWanted(parameters);
  const names = [path['id_or_alias'] ?? '', ...list(parameters['ids'])];
  const bugs = [...new Set(names.map((name) => findBug(world, caller, name)))];
  for (const bug of bugs) {
    const product = productOf(world, bug);
    if (product === undefined || !mayEditBugs(product, caller)) throw new Refusal(401, 109);
  }
  const draft = draftOf(caller, wanted);
  const after = bugs.map((bug) => fieldsAfter(world, caller, bug, wanted, draft.hours));
  for (const [index, bug] of bugs.entries()) checkRights(bug, after[index] ?? bug, caller);
  const isTracker = caller.groups.includes('timetrackers');
  return {
    bugs: bugs.map((bug, index) => {
      const changes = changesOf(bug, after[index] ?? bug);
      const before = lastChange(bug);
      Object.assign(bug, after[index]);
      if (draft.text !== '' || draft.hours !== 0) {
        const { time } = addComment(bug, draft, generated, changes.map(asHistory));
        if (changes.length > 0) bug.changed = time;
      } else if (changes.length > 0) {
        bug.changed = generated.change(bug.id, before);
        bug.history.push({ when: bug.changed, who: caller.login, changes: changes.map(asHistory) });
      }
      const shown = changes.filter(({ field_name }) => isTracker || field_name !== 'remaining_time');
      return {
        ...{ id: bug.id, alias: bug.alias },
        last_change_time: generated.lastChange(bug.id, lastChange(bug)),
        changes: Object.fromEntries(
          shown.map(({ field_name, removed, added }) => [
            field_name,
            { removed, added: field_name === 'remaining_time' ? String(Number(added)) : added },
          ]),
        ),
      };
    }),
  };
}

/** The changes of a request; null means '' for the fields of bugs. */
function readWanted(parameters: Given['parameters']) {
  const field = (name: string) => text(parameters[name]);
  const { comment, cc = {} } = parameters;
  const isWithin = comment !== null && typeof comment === 'object';
  const { body, is_private }: { body?: unknown; is_private?: unknown } = isWithin
    ? comment
    : { body: comment };
  const { add, remove } = cc as { add?: unknown; remove?: unknown };
  return {
    ...{ summary: field('summary'), whiteboard: field('whiteboard') },
    ...{ status: field('status'), resolution: field('resolution') },
    work_time: field('work_time') ?? '',
    comment: tidied(text(body) ?? ''),
    is_private: flag(is_private) ?? false,
    cc: { add: list(add), remove: list(remove) },
  };
}

type Wanted = ReturnType<typeof readWanted>;

function draftOf(caller: Caller, { work_time, comment, is_private }: Wanted): Draft {
  const hours = Number(work_time);
  if (hours !== 0 && !caller.groups.includes('timetrackers')) throw new Refusal(401, 115);
  const isPrivate = comment !== '' && is_private;
  if (isPrivate && !caller.groups.includes('insiders')) throw new Refusal(401, 113);
  return { text: comment, creator: caller.login, is_private: isPrivate, hours };
}

function fieldsAfter(world: World, caller: Caller, bug: Bug, wanted: Wanted, hours: number): Fields {
  const { summary = bug.summary, whiteboard = bug.whiteboard, cc } = wanted;
  const [added = [], removed = []] = [cc.add, cc.remove].map((some) => some.map(loginOf));
  // The right does not depend on who is on the list.
  const mayRemove = caller.groups.includes('editbugs') || participates(bug, caller);
  if (!mayRemove && removed.some((one) => one !== caller.login)) throw new Refusal(400, 32000);
  const state = stateAfter(bug, wanted, productOf(world, bug)?.has_unconfirmed ?? false);
  const isClosing = state.status === 'RESOLVED' && bug.status !== 'RESOLVED';
  return {
    ...state,
    summary,
    whiteboard,
    cc: once([...bug.cc, ...added]).filter((one) => !removed.includes(one)),
    hours_left: isClosing ? 0 : Math.max(0, bug.hours_left - hours),
  };
}

const participates = (bug: Bug, { login }: Caller): boolean =>
  login === bug.assigned_to || login === bug.qa_contact;

const NEXT: Record<string, string[]> = {
  UNCONFIRMED: ['CONFIRMED', 'IN_PROGRESS', 'RESOLVED'],
  CONFIRMED: ['IN_PROGRESS', 'RESOLVED'],
  IN_PROGRESS: ['CONFIRMED', 'RESOLVED'],
  RESOLVED: ['UNCONFIRMED', 'CONFIRMED', 'VERIFIED'],
};

function stateAfter(bug: Bug, wanted: Wanted, hasUnconfirmed: boolean) {
  const { is_confirmed } = bug;
  if (wanted.status === undefined && wanted.resolution === undefined) {
    return { status: bug.status, resolution: bug.resolution, is_confirmed };
  }
  const status = wanted.status === undefined ? bug.status : legal(wanted.status, Object.keys(NEXT));
  // Beside an open status, a resolution is ignored.
  const isIgnored = wanted.status !== undefined && status !== 'RESOLVED';
  const resolution = isIgnored
    ? undefined
    : wanted.resolution && legal(wanted.resolution, ['FIXED', 'WONTFIX']);
  const isBarred = status === 'UNCONFIRMED' && status !== bug.status && !hasUnconfirmed;
  if (isBarred || ![bug.status, ...(NEXT[bug.status] ?? [])].includes(status)) throw new Refusal(400, 123);
  if (status !== 'RESOLVED') {
    if (wanted.status === undefined && resolution) throw new Refusal(400, 122);
    return { status, resolution: '', is_confirmed: status !== 'UNCONFIRMED' };
  }
  const reason = resolution ?? bug.resolution;
  if (reason === '') throw new Refusal(400, 121);
  return { status, resolution: reason, is_confirmed };
}

function legal(given: string, values: string[]): string {
  return values.find((one) => same(one, given)) ?? '';
}

const shown: Record<string, (fields: Fields) => string | string[]> = {
  cc: ({ cc }) => cc,
  is_confirmed: ({ is_confirmed }) => (is_confirmed ? '1' : '0'),
  remaining_time: ({ hours_left }) => hours_left.toFixed(2),
  resolution: ({ resolution }) => resolution,
  status: ({ status }) => status,
  summary: ({ summary }) => summary,
  whiteboard: ({ whiteboard }) => whiteboard,
};

/** The changed fields, ordered by name. */
function changesOf(before: Fields, after: Fields): FieldChange[] {
  const without = (some: string | string[], others: string | string[]) =>
    typeof some === 'string'
      ? some
      : some
          .filter((one) => !others.includes(one))
          .toSorted()
          .join(', ');
  return Object.entries(shown)
    .map(([field_name, show]) => ({
      field_name,
      removed: without(show(before), show(after)),
      added: without(show(after), show(before)),
    }))
    .filter(({ removed, added }) => removed !== added);
}

/** Hours as they were stored before, and as they were given. */
const asHistory = ({ field_name, removed, added }: FieldChange): FieldChange => ({
  field_name,
  removed,
  added: field_name === 'remaining_time' ? String(Number(added)) : added,
});

/** Permissions of changes. */
function checkRights(bug: Bug, after: Fields, caller: Caller): void {
  const { login, groups } = caller;
  const changes = changesOf(bug, after);
  const isConfirming = bug.is_confirmed !== after.is_confirmed;
  const mayConfirm = groups.includes('editbugs') || groups.includes('canconfirm');
  const isOpen = (status: string) => status !== 'RESOLVED';
  const may = ({ field_name }: FieldChange): boolean => {
    if (groups.includes('editbugs') || field_name === 'remaining_time') return true;
    if (field_name === 'is_confirmed' || (field_name === 'status' && isConfirming)) return mayConfirm;
    if (participates(bug, caller) || field_name === 'cc') return true;
    if (login !== bug.creator) return false;
    return field_name !== 'status' || !isOpen(bug.status) || !isOpen(after.status);
  };
  const isFirst = ({ field_name }: FieldChange) => field_name === 'status';
  const denied = [...changes.filter(isFirst), ...changes].find((one) => !may(one))?.field_name;
  if (denied === 'status' || denied === 'is_confirmed') throw new Refusal(400, 123);
  if (denied !== undefined) throw new Refusal(401, 115);
}
