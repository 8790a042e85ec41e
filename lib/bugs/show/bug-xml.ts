import { bit } from '../../base/collections.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import type { CommentItem } from '../comments/schema.ts';
import { FIELD_TYPES } from '../fields/kinds.ts';
import type { BugFields } from '../fields/registry.ts';
import type { PresentedFlag } from '../flags/set-flags.ts';
import { FIELD_ELEMENTS } from './bug-dtd.ts';
import { shownAddress } from './csv.ts';
import { element, emptyTag, openTag } from './xml.ts';

type View = Readonly<Record<string, unknown>>;

/** What XML of a bug shows beside the bug in the interface. */
export interface BugXmlContext {
  fields: BugFields;
  /** whether an element is shown: by the names of XML */
  has(name: string): boolean;
  /** whether addresses are cut at `@`, as 5.2 does for anonymous readers */
  hidesAddresses: boolean;
  isTimeTracker: boolean;
  realName(login: string): string;
}

const PEOPLE = new Set(['reporter', 'assigned_to', 'qa_contact']);

/** The elements of the fields of a bug. @param view the bug in the interface, and its `classification_id` */
export function bugFieldsXml(view: View, { fields, has, hidesAddresses, realName }: BugXmlContext): string[] {
  const custom = fields.all.flatMap(({ custom: own, rest, type }) =>
    own === undefined || rest === undefined ? [] : [{ rest, type }],
  );
  const address = (login: unknown) => shownAddress(login, hidesAddresses);
  const textsOf = (name: string, value: unknown): string[] => {
    if (value === undefined || value === null) return [];
    if (name === 'keywords' && Array.isArray(value)) return [value.join(', ')];
    if (Array.isArray(value)) return value.map((one) => (name === 'cc' ? address(one) : String(one)));
    if (typeof value === 'boolean') return [bit(value)];
    if (name.endsWith('_ts')) return [spelledTime(String(value))];
    return [name.endsWith('_time') ? Number(value).toFixed(2) : String(value)];
  };
  return [
    ...FIELD_ELEMENTS.split(' ')
      .filter(has)
      .flatMap((name) => {
        const field = fields.named(name === 'dup_id' ? 'dupe_of' : name);
        const value = view[field?.rest ?? name];
        if (!PEOPLE.has(name)) return textsOf(name, value).map((text) => element(name, text));
        const login = String(value ?? '');
        return login === '' ? [] : [element(name, address(login), { name: realName(login) || undefined })];
      }),
    ...custom
      .filter(({ rest }) => has(rest))
      .flatMap(({ rest, type }) =>
        textsOf(rest, view[rest]).map((text) => {
          if (type === FIELD_TYPES.DATE_TIME) return element(rest, text.replace('T', ' ').replace('Z', ''));
          return element(rest, type === FIELD_TYPES.DATE ? text.slice(0, 'YYYY-MM-DD'.length) : text);
        }),
      ),
  ];
}

/** `2026-01-02 03:04:05 +0000` */
const spelledTime = (time: string): string => `${time.replace('T', ' ').replace('Z', '')} +0000`;

/** Flags of a bug or an attachment. */
export const flagsXml = (
  flags: readonly PresentedFlag[],
  { has, hidesAddresses }: BugXmlContext,
): string[] =>
  has('flag')
    ? flags.map(({ id, name, type_id, status, setter, requestee }) =>
        emptyTag('flag', {
          ...{ name, id, type_id, status, setter: shownAddress(setter, hidesAddresses) },
          requestee: status === '?' && requestee ? shownAddress(requestee, hidesAddresses) : undefined,
        }),
      )
    : [];

/** A comment. Hours are for time trackers, and where there are some. */
export const commentXml = (comment: CommentItem, context: BugXmlContext): string =>
  [
    openTag('long_desc', { isprivate: bit(comment.is_private) }),
    element('commentid', String(comment.id)),
    element('comment_count', String(comment.count)),
    ...(comment.attachment_id === null ? [] : [element('attachid', String(comment.attachment_id))]),
    element('who', shownAddress(comment.creator, context.hidesAddresses), {
      name: context.realName(comment.creator),
    }),
    element('bug_when', spelledTime(comment.creation_time)),
    ...(context.isTimeTracker && comment.work_time !== 0
      ? [element('work_time', comment.work_time.toFixed(2).replace(/0$/, ''))]
      : []),
    element('thetext', comment.text),
    '</long_desc>',
  ].join('\n');

/** An attachment up to its data, which `attachmentEndXml` follows. */
export const attachmentXml = (attachment: AttachmentItem, context: BugXmlContext): string =>
  [
    openTag('attachment', {
      isobsolete: bit(attachment.is_obsolete),
      ispatch: bit(attachment.is_patch),
      isprivate: bit(attachment.is_private),
    }),
    element('attachid', String(attachment.id)),
    element('date', spelledTime(attachment.creation_time)),
    element('delta_ts', spelledTime(attachment.last_change_time)),
    element('desc', attachment.summary),
    element('filename', attachment.file_name),
    element('type', attachment.content_type),
    element('size', String(attachment.size)),
    element('attacher', shownAddress(attachment.creator, context.hidesAddresses), {
      name: context.realName(attachment.creator) || undefined,
    }),
  ].join('\n');

/** The flags of an attachment, and its end. */
export const attachmentEndXml = (flags: readonly PresentedFlag[], context: BugXmlContext): string =>
  [...flagsXml(flags, context), '</attachment>'].join('\n');

/** The data of an attachment in lines of 76 characters, as MIME has them. */
export const dataXml = (data: Buffer): string => {
  const text = data.toString('base64').replaceAll(/.{1,76}/g, '$&\n');
  return element('data', text, { encoding: 'base64' });
};

/** What is there instead of data that was left out. */
export const DATA_LEFT_OUT = '<!-- The data of this attachment is left out: see X-Bugless-Left-Out. -->';
