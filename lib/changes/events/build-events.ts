import { bit } from '../../base/collections.ts';
import type { ChangeRecord } from '../../bugs/changes.ts';
import { kindOf } from '../../bugs/fields/kinds.ts';
import { audienceOf } from '../../bugs/fields/registry.ts';
import { FLAGS } from '../../bugs/flags/schema.ts';
import type { FieldChange } from '../../bugs/schema.ts';
import type { PublishedChange } from './change.ts';
import type { BugEvent } from './event.ts';
import {
  presentAttachment,
  presentBug,
  presentComment,
  presentUser,
  withoutPlaceholder,
} from './present-bug.ts';

/**
 * The events of a change, in their order: of the bug, its attachments and its comments. Hours, and what only some users
 * see of a public bug, are in none. functions/events/README.md 2 and 3
 */
export function buildEvents(change: PublishedChange): BugEvent[] {
  const { kind, revision, comments, history, created, before, after } = change;
  const event = eventsAbout(change);
  const [first] = comments;
  const description = kind === 'created' && first?.count === 0 ? first : undefined;
  const events: BugEvent[] = [];
  if (kind === 'created') {
    const shown = description?.is_private === false ? { comment: presentComment(description) } : {};
    events.push(event('create', { target: 'bug', shown }, 'create'));
  } else {
    const about = { target: 'bug', shown: {} } as const;
    const [was, is] = [before.groups.length > 0, after.groups.length > 0];
    if (was !== is) {
      const changes = [{ field: IS_PRIVATE, removed: bit(was), added: bit(is) }];
      events.push(event('modify', about, `is_private:${revision}`, { changes }));
    }
    const own = history.filter(
      (one) => one.attachment_id === undefined && audienceOf(one.field_name, change.fields) === 'everyone',
    );
    const changes = eventChanges(own, change);
    if (changes.length > 0) events.push(event('modify', about, `modify:${revision}`, { changes }));
  }
  for (const attachment of change.attachments.values()) {
    const { id, is_private } = attachment;
    const shown = is_private ? undefined : presentAttachment(attachment, change);
    const about = { target: 'attachment', id, shown } as const;
    const changes = eventChanges(
      history.filter(({ attachment_id }) => attachment_id === id),
      change,
    );
    if (created.has(id)) events.push(event('create', about, `attachment:${id}`));
    else if (changes.length > 0) {
      events.push(event('modify', about, `attachment.modify:${id}:${revision}`, { changes }));
    }
  }
  for (const comment of comments.filter((one) => one !== description)) {
    const { id, creator: who } = comment;
    const shown = comment.is_private ? undefined : presentComment(comment);
    events.push(event('create', { target: 'comment', id, shown }, `comment:${id}`, { who }));
  }
  return events;
}

/** The only field that is named of a private bug: that it has become so. */
const IS_PRIVATE = 'is_private';

/** Makes the events of a change, which say of what is private that it is. */
function eventsAbout(change: PublishedChange) {
  const { bug, time, revision, users, history } = change;
  const shownBug = bug.groups.length > 0 ? undefined : presentBug(change);
  // The webhooks of both products are told of a move.
  const move = history.find(({ field_name }) => field_name === 'product');
  const products = move === undefined ? {} : { products: [move.added, move.removed] };
  /**
   * @param about what it is about: of a bug what is shown beside it; of a part of it what is shown in it, undefined: it is private
   * @param id among the events of the bug
   * @param who login of who did it
   */
  return (
    action: BugEvent['event']['action'],
    about:
      | { target: 'bug'; shown: object }
      | { target: 'comment' | 'attachment'; id: number; shown: object | undefined },
    id: string,
    { changes, who = change.who }: { changes?: EventChanges; who?: string } = {},
  ): BugEvent => {
    const { target } = about;
    const part = target === 'bug' ? about.shown : { [target]: about.shown };
    const isPublic = shownBug !== undefined && about.shown !== undefined;
    const names = [...new Set(changes?.map(({ field }) => field))];
    const named = isPublic || names[0] === IS_PRIVATE ? names : [];
    const event = {
      ...{ action, target, time },
      routing_key: [`${target}.${action}`, ...(named.length === 0 ? [] : [named.join()])].join(':'),
    };
    const whole = { id: `${bug.id}:${id}`, revision };
    if (isPublic) {
      const shown = {
        ...event,
        user: presentUser(who, users),
        ...(changes === undefined ? {} : { changes }),
      };
      return { ...whole, event: shown, bug: { ...shownBug, ...part }, ...products };
    }
    const hidden = target === 'bug' ? {} : { [target]: { id: about.id, is_private: true } };
    return { ...whole, event, bug: { id: bug.id, is_private: shownBug === undefined, ...hidden } };
  };
}

type EventChanges = NonNullable<BugEvent['event']['changes']>;

/** Names in BMO's events that are not those of the interface. */
const EVENT_NAMES: Readonly<Record<string, string>> = { op_sys: 'operating_system' };

/** Changes of a bug, or of an attachment, as events have them. */
function eventChanges(
  changes: readonly FieldChange[],
  { record, fields }: Pick<PublishedChange, 'record' | 'fields'>,
): EventChanges {
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
function flagChanges(flags: ChangeRecord['flags']): EventChanges {
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
