import type { BugFields } from '../../bugs/fields/registry.ts';
import { pageTitle } from '../../bugs/show/field-titles.ts';

const ATTACHMENT_LABELS: Readonly<Record<string, string>> = {
  'attachments.description': 'description',
  'attachments.filename': 'filename',
  'attachments.mimetype': 'mime type',
  'attachments.ispatch': 'is patch',
  'attachments.isobsolete': 'is obsolete',
  'attachments.isprivate': 'is private',
  'flagtypes.name': 'Flags',
};

/** The internal name of a field, which headers have. @param rest its name in histories */
export const internalName = (rest: string, fields: BugFields): string => fields.shownAs(rest)?.name ?? rest;

/** What mails call a field. @param name the internal one */
export function labelOf(name: string, fields: BugFields): string {
  const field = fields.named(name);
  return name === 'work_time' ? 'Hours Worked' : field === undefined ? name : pageTitle(field);
}

/** What mails call a field of an attachment. @param name in histories */
export const attachmentLabel = (id: number, name: string): string =>
  `Attachment #${id} ${ATTACHMENT_LABELS[name] ?? name}`;

/** Hours with two decimals. */
const hours = (text: string): string => (text === '' ? '' : Number(text).toFixed(2));

/** A value of a history as mails have it. @param name the internal name of the field */
export function shownValue(name: string, text: string, fields: BugFields): string {
  if (name === 'resolution' && text === '') return '---';
  return fields.named(name)?.visibleTo === 'timetrackers' ? hours(text) : text;
}
