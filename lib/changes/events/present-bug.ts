import { compareNames, normalizeName } from '../../base/text.ts';
import type { AttachmentItem } from '../../bugs/attachments/schema.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import { kindOf } from '../../bugs/fields/kinds.ts';
import { storedValue } from '../../bugs/fields/registry.ts';
import type { FlagItem } from '../../bugs/flags/schema.ts';
import { namedFlags } from '../../bugs/flags/set-flags.ts';
import type { UserItem } from '../../people/schema.ts';
import { availableTypes } from '../../products/schema.ts';
import { flagTypesOf, type PublishedChange } from './change.ts';
import type { EventUser } from './event.ts';

/** A user by login; one that does not exist has the id 0. */
export function presentUser(login: string, users: ReadonlyMap<string, UserItem>): EventUser {
  const user = users.get(normalizeName(login));
  return { id: user?.id ?? 0, login: user?.login ?? login, real_name: user?.real_name ?? '' };
}

/** Values that stand for none. */
const PLACEHOLDERS: ReadonlySet<unknown> = new Set(['---', '--']);

/** A value without what stands for none. */
export const withoutPlaceholder = <T>(value: T): T | '' => (PLACEHOLDERS.has(value) ? '' : value);

function presentFlags(
  flags: readonly FlagItem[],
  target: 'bug' | 'attachment',
  change: Pick<PublishedChange, 'bug' | 'product' | 'users'>,
) {
  const types = availableTypes(flagTypesOf(change), target, change.bug.component_id);
  return namedFlags(flags, types).map(({ id, name, status, requestee }) => ({
    ...{ id, name, value: status },
    ...(requestee === null ? {} : { requestee: presentUser(requestee, change.users) }),
  }));
}

/** A public bug in the shape of BMO's webhooks. functions/events/README.md 2 */
export function presentBug(change: Pick<PublishedChange, 'bug' | 'place' | 'product' | 'fields' | 'users'>) {
  const { bug, place, fields, users } = change;
  const custom = fields.all.flatMap((field): [string, unknown][] => {
    if (field.custom === undefined || field.rest === undefined) return [];
    const value = kindOf(field).show(storedValue(bug, field));
    return [[field.rest, kindOf(field).hasValues ? withoutPlaceholder(value) : value]];
  });
  return {
    id: bug.id,
    is_private: false,
    alias: bug.aliases.toSorted(compareNames)[0] ?? '',
    assigned_to: bug.assigned_to,
    assigned_to_detail: presentUser(bug.assigned_to, users),
    classification: place.classification,
    component: place.component,
    creation_time: bug.creation_time,
    creator: bug.reporter,
    creator_detail: presentUser(bug.reporter, users),
    flags: presentFlags(bug.flags, 'bug', change),
    keywords: bug.keywords.toSorted(compareNames),
    last_change_time: bug.last_change_time,
    operating_system: bug.op_sys,
    platform: bug.platform,
    priority: withoutPlaceholder(bug.priority),
    product: place.product,
    qa_contact: bug.qa_contact,
    ...(bug.qa_contact === '' ? {} : { qa_contact_detail: presentUser(bug.qa_contact, users) }),
    resolution: bug.resolution,
    see_also: bug.see_also.toSorted(compareNames),
    severity: withoutPlaceholder(bug.severity),
    status: bug.status,
    summary: bug.summary,
    target_milestone: bug.target_milestone,
    url: bug.url,
    version: bug.version,
    whiteboard: bug.whiteboard,
    ...Object.fromEntries(custom),
  };
}

/** A public comment. */
export const presentComment = ({ id, count, text, creation_time }: CommentItem) => ({
  ...{ id, number: count, body: text, creation_time },
  is_private: false,
});

/** A public attachment. */
export const presentAttachment = (
  attachment: AttachmentItem,
  change: Pick<PublishedChange, 'bug' | 'product' | 'users'>,
) => ({
  id: attachment.id,
  description: attachment.summary,
  file_name: attachment.file_name,
  content_type: attachment.content_type,
  creation_time: attachment.creation_time,
  last_change_time: attachment.last_change_time,
  flags: presentFlags(attachment.flags, 'attachment', change),
  is_obsolete: attachment.is_obsolete,
  is_patch: attachment.is_patch,
  is_private: false,
});
