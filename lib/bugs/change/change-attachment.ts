import type * as z from 'zod/mini';
import { bit } from '../../base/collections.ts';
import { errors } from '../../errors.ts';
import { type Caller, isCaller, isInGroup } from '../../people/caller.ts';
import { hasRight } from '../../products/permissions.ts';
import { attachmentFlagTypes, type FlagTypeItem } from '../../products/schema.ts';
import { sizeOf } from '../../table/consumption.ts';
import { attachmentHeading, isAttachmentShown } from '../attachments/presenter.ts';
import type { attachmentUpdate } from '../attachments/requests.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import { checkContentType, checkFileName, checkSummary } from '../attachments/validation.ts';
import { requireInsider } from '../comments/presenter.ts';
import { checkLength, contentOf } from '../comments/validation.ts';
import type { GivenFlag } from '../flags/requests.ts';
import type { FlagItem } from '../flags/schema.ts';
import { currentFlags, flagChanges, flagTexts, isNamed, setFlags } from '../flags/set-flags.ts';
import { isVisible, productBarrier } from '../permissions.ts';
import type { BugItem, FieldChange } from '../schema.ts';
import type { UpdateContext } from './bug-update.ts';

/** What a request gives for an attachment; absent: the default, or as it is. */
export type GivenAttachment = Omit<
  z.infer<typeof attachmentUpdate>,
  'ids' | 'filename' | 'description' | 'comment'
> & {
  /** '': none */
  comment: string;
};

/** The fields of which changes are reported: the name in the interface, and in histories. */
const CHANGED_FIELDS = [
  ['file_name', 'attachments.filename'],
  ['summary', 'attachments.description'],
  ['content_type', 'attachments.mimetype'],
  ['is_patch', 'attachments.ispatch'],
  ['is_obsolete', 'attachments.isobsolete'],
  ['is_private', 'attachments.isprivate'],
] as const;

/** The text of a comment on an attachment: its heading, and what the request gives. */
export function joinTexts(heading: string, text: string): string {
  const whole = text === '' ? heading : `${heading}\n\n${text}`;
  checkLength(whole);
  return whole;
}

/** A time that is known when the attachment is written. */
export const NOW = '';

/** What changes of attachments are computed from. */
export type AttachmentContext = Pick<UpdateContext, 'editor' | 'users' | 'products'>;

/** So that the attachments of a bug, of which there are up to 1,000, can be listed. */
const MAX_FLAG_BYTES = 8_000;

/**
 * The flags of an attachment after a request; who is asked has to see it.
 *
 * @param attachment with its flags as they are, and whether it is private after the request
 */
export function attachmentFlags(
  context: AttachmentContext,
  { flags: current, is_private: isPrivate }: Pick<AttachmentItem, 'flags' | 'is_private'>,
  bug: BugItem,
  given: readonly GivenFlag[],
): FlagItem[] {
  const { editor, users } = context;
  const types = attachmentFlagTypes(bug, context);
  const maySee = (requestee: Caller) =>
    isVisible(bug, requestee) && (!isPrivate || isInGroup(requestee, editor.insiderGroup));
  const flags = setFlags(current, given, { caller: editor.caller, types, users, maySee });
  const size = sizeOf(flags);
  if (size > MAX_FLAG_BYTES && size > sizeOf(current)) {
    throw errors.requestTooLarge(`${MAX_FLAG_BYTES / 1_000} KB of flags on an attachment`);
  }
  return flags;
}

/** Whether an update has nothing but flags that the caller has set, or is asked for. */
function hasOwnFlags(
  before: AttachmentItem,
  { flags: given, comment, ...fields }: GivenAttachment,
  types: readonly FlagTypeItem[],
  caller: Caller,
): boolean {
  const isFlagsOnly = comment === '' && Object.values(fields).every((value) => value === undefined);
  const isOwn = ({ setter, requestee }: FlagItem) =>
    isCaller(caller, setter) || isCaller(caller, requestee ?? '');
  const own = currentFlags(before.flags, types).filter(isOwn);
  const isNamedOwn = (one: GivenFlag) => one.new !== true && own.some((flag) => isNamed(one, flag, types));
  return isFlagsOnly && given.length > 0 && given.every(isNamedOwn);
}

/**
 * An attachment after an update, with the comment that comes with it. Its creator and who has `editbugs` change it; who set or was
 * asked for a flag changes that alone.
 */
export function changedAttachment(
  context: AttachmentContext,
  before: AttachmentItem,
  bug: BugItem,
  given: GivenAttachment,
): { before: AttachmentItem; after: AttachmentItem; text: string } {
  const { editor, products } = context;
  if (!isVisible(bug, editor.caller)) throw errors.bugAccessDenied(String(bug.id));
  const isHidden = !isAttachmentShown(before, editor.caller, editor.isInsider);
  const { product } = products.get(bug.product_id) ?? {};
  const isBarred = productBarrier(product, bug.product_id, editor.caller) !== undefined;
  const types = attachmentFlagTypes(bug, context);
  const isAllowed =
    hasRight(editor.caller, 'editbugs', product) ||
    isCaller(editor.caller, before.creator) ||
    hasOwnFlags(before, given, types, editor.caller);
  if (isHidden || isBarred || !isAllowed) {
    throw errors.attachmentUnknown(String(before.id));
  }
  const isPrivate = given.is_private ?? before.is_private;
  if (isPrivate !== before.is_private) requireInsider(editor.isInsider);
  const { text } = contentOf(given.comment);
  checkLength(text);
  const isPatch = given.is_patch ?? before.is_patch;
  const isObsolete = given.is_obsolete ?? before.is_obsolete;
  const flags = attachmentFlags(context, { ...before, is_private: isPrivate }, bug, given.flags);
  const becomesObsolete = isObsolete && !before.is_obsolete;
  // A request goes, whatever else the update says of it.
  const requested = new Set(before.flags.filter(({ status }) => status === '?').map(({ id }) => id));
  const after: AttachmentItem = {
    ...before,
    last_change_time: NOW,
    file_name:
      given.file_name === undefined
        ? before.file_name
        : checkFileName(given.file_name, errors.attachmentNameBlank),
    summary: given.summary === undefined ? before.summary : checkSummary(given.summary),
    content_type:
      given.content_type === undefined ? before.content_type : checkContentType(given.content_type, isPatch),
    is_patch: isPatch,
    is_private: isPrivate,
    is_obsolete: isObsolete,
    flags: becomesObsolete ? flags.filter(({ id, status }) => status !== '?' && !requested.has(id)) : flags,
  };
  const isSame =
    changedFields(before, after).length + flagTexts(flagChanges(before.flags, after.flags, types)).length ===
    0;
  const heading = attachmentHeading('Comment on', after);
  return { before, after: isSame ? before : after, text: text === '' ? '' : joinTexts(heading, text) };
}

const shownValue = (value: string | boolean): string => (typeof value === 'boolean' ? bit(value) : value);

/** What differs between an attachment before and after, by the names of the interface. */
export const changedFields = (before: AttachmentItem, after: AttachmentItem): FieldChange[] =>
  CHANGED_FIELDS.flatMap(([field_name]) => {
    const [removed, added] = [shownValue(before[field_name]), shownValue(after[field_name])];
    return removed === added ? [] : [{ field_name, removed, added }];
  });

/** What differs, as histories have it; a new attachment has none. */
export function attachmentHistory(before: AttachmentItem | undefined, after: AttachmentItem): FieldChange[] {
  if (before === undefined) return [];
  const names = new Map<string, string>(CHANGED_FIELDS);
  return changedFields(before, after).map((change) => ({
    ...change,
    field_name: names.get(change.field_name) ?? change.field_name,
    attachment_id: after.id,
  }));
}
