import type { ChangeRecord } from '../bugs/change-record.ts';
import { kindOf } from '../bugs/fields/kinds.ts';
import { type FieldChange, FLAGS } from '../bugs/schema.ts';
import { audienceOf } from '../bugs/show/visible-history.ts';
import { bit } from '../differences.ts';
import type { PublishedChange } from './change.ts';
import type { BugEvent, EventChange } from './event.ts';
import {
  presentAttachment,
  presentBug,
  presentComment,
  presentUser,
  withoutPlaceholder,
} from './present-bug.ts';

/** What an event is about, before it is known how much of it is public. */
interface PlannedEvent {
  action: BugEvent['event']['action'];
  target: BugEvent['event']['target'];
  id: string;
  changes?: EventChange[];
  /** the fields that the routing key names */
  fields?: readonly string[];
  /** the comment or the attachment: undefined where the event is about the bug */
  part?: { name: 'comment' | 'attachment'; id: number; shown: object | undefined };
  /** login of who did it, where that is not who made the change */
  who?: string;
  /** the description of a new bug */
  description?: object | undefined;
}

/**
 * The events of a change, in their order: of the bug, its attachments and its comments. Hours, and what only some users
 * see of a public bug, are in none. functions/events/README.md 2 and 3
 */
export function buildEvents(change: PublishedChange): BugEvent[] {
  const isPrivate = change.bug.groups.length > 0;
  const bug = isPrivate ? undefined : presentBug(change);
  return plannedEvents(change).map((event) => finish(event, change, bug));
}

function finish(
  { action, target, id, changes, fields = [], part, who, description }: PlannedEvent,
  { bug: { id: bug_id }, time, revision, users, history, ...change }: PublishedChange,
  bug: ReturnType<typeof presentBug> | undefined,
): BugEvent {
  const isPublic = bug !== undefined && (part === undefined || part.shown !== undefined);
  const type = `${target}.${action}`;
  // Of what is private, only that a bug has become so is said.
  const named = isPublic || fields[0] === IS_PRIVATE ? fields : [];
  const event = {
    ...{ action, target, time },
    routing_key: named.length === 0 ? type : `${type}:${named.join()}`,
    ...(isPublic ? { user: presentUser(who ?? change.who, users) } : {}),
    ...(isPublic && changes !== undefined ? { changes } : {}),
  };
  const about =
    part === undefined ? {} : { [part.name]: isPublic ? part.shown : { id: part.id, is_private: true } };
  const comment = isPublic && description !== undefined ? { comment: description } : {};
  const shown = isPublic ? bug : { id: bug_id, is_private: bug === undefined };
  const whole = { id: `${bug_id}:${id}`, revision, event, bug: { ...shown, ...about, ...comment } };
  return isPublic ? { ...whole, ...productsOf(history) } : whole;
}

/** The products of a move: the webhooks of both are told of it. */
function productsOf(history: readonly FieldChange[]): Pick<BugEvent, 'products'> {
  const move = history.find(({ field_name }) => field_name === 'product');
  return move === undefined ? {} : { products: [move.added, move.removed] };
}

const IS_PRIVATE = 'is_private';

function plannedEvents(change: PublishedChange): PlannedEvent[] {
  const { kind, revision, comments } = change;
  const [first] = comments;
  const description = kind === 'created' && first?.count === 0 ? first : undefined;
  const added = comments.filter((comment) => comment !== description);
  const planned: PlannedEvent[] = [];
  if (kind === 'created') {
    const shown =
      description === undefined || description.is_private ? undefined : presentComment(description);
    planned.push({ action: 'create', target: 'bug', id: 'create', description: shown });
  } else {
    const [wasPrivate, isPrivate] = [change.before.groups.length > 0, change.after.groups.length > 0];
    if (wasPrivate !== isPrivate) {
      const changes = [{ field: IS_PRIVATE, removed: bit(wasPrivate), added: bit(isPrivate) }];
      planned.push({
        action: 'modify',
        target: 'bug',
        id: `is_private:${revision}`,
        changes,
        fields: [IS_PRIVATE],
      });
    }
    const own = change.history.filter(
      (one) => one.attachment_id === undefined && audienceOf(one.field_name, change.fields) === 'everyone',
    );
    const changes = eventChanges(own, change);
    if (changes.length > 0) planned.push(modification('bug', `modify:${revision}`, changes));
  }
  planned.push(...attachmentEvents(change));
  for (const comment of added) {
    const shown = comment.is_private ? undefined : presentComment(comment);
    const part = { name: 'comment', id: comment.id, shown } as const;
    const { creator: who } = comment;
    planned.push({ action: 'create', target: 'comment', id: `comment:${comment.id}`, part, who });
  }
  return planned;
}

const modification = (target: 'bug' | 'attachment', id: string, changes: EventChange[]): PlannedEvent => ({
  ...{ action: 'modify', target, id, changes },
  fields: [...new Set(changes.map(({ field }) => field))],
});

function attachmentEvents(change: PublishedChange): PlannedEvent[] {
  const { history, created, attachments, revision } = change;
  const byId = Map.groupBy(history, ({ attachment_id }) => attachment_id);
  return [...attachments.values()].flatMap((attachment): PlannedEvent[] => {
    const { id } = attachment;
    const shown = attachment.is_private ? undefined : presentAttachment(attachment, change);
    const part = { name: 'attachment', id, shown } as const;
    if (created.has(id)) return [{ action: 'create', target: 'attachment', id: `attachment:${id}`, part }];
    const changes = eventChanges(byId.get(id) ?? [], change);
    if (changes.length === 0) return [];
    return [{ ...modification('attachment', `attachment.modify:${id}:${revision}`, changes), part }];
  });
}

/** Names in BMO's events that are not those of the interface. */
const EVENT_NAMES: Readonly<Record<string, string>> = { op_sys: 'operating_system' };

/** Changes of a bug, or of an attachment, as events have them. */
function eventChanges(
  changes: readonly FieldChange[],
  { record, fields }: Pick<PublishedChange, 'record' | 'fields'>,
): EventChange[] {
  return changes.flatMap(({ field_name, removed, added, attachment_id: id }) => {
    if (field_name === FLAGS) return flagChanges(record.flags.filter((flag) => flag.attachment_id === id));
    const field = EVENT_NAMES[field_name] ?? field_name;
    const registered = fields.shownAs(field_name);
    const hasPlaceholder =
      registered !== undefined && (registered.values !== undefined || kindOf(registered).hasValues);
    const shown = (text: string) => (hasPlaceholder ? withoutPlaceholder(text) : text);
    return [{ field, removed: shown(removed), added: shown(added) }];
  });
}

/** The change of each flag, under its name: one that is cleared and one of its name that is set are one change. */
function flagChanges(flags: ChangeRecord['flags']): EventChange[] {
  const named = flags.filter(({ name }) => name !== undefined);
  const left = named.filter(({ after }) => after !== undefined);
  const changed = named
    .filter(({ before }) => before !== undefined)
    .map(({ name, before }) => {
      const at = left.findIndex((flag) => flag.name === name);
      const [next] = at === -1 ? [] : left.splice(at, 1);
      return { field: `flag.${name}`, removed: flagValue(before), added: flagValue(next?.after) };
    });
  return [
    ...changed,
    ...left.map(({ name, after }) => ({ field: `flag.${name}`, removed: '', added: flagValue(after) })),
  ];
}

/** A flag as events have it: `? (a@example.org)`. */
function flagValue(state: ChangeRecord['flags'][number]['after']): string {
  if (state === undefined) return '';
  return state.requestee === null ? state.status : `${state.status} (${state.requestee})`;
}
