import { bit } from '../../base/collections.ts';
import type { BugFields } from '../../bugs/fields/registry.ts';
import { audienceOf } from '../../bugs/fields/registry.ts';
import { COMMENT_PRIVACY } from '../../bugs/schema.ts';
import { pageTitle } from '../../bugs/show/field-titles.ts';
import type { PublishedChange } from '../events/change.ts';
import { wrapHard } from './wrap.ts';

/** A row of the table of changes. */
export interface Row {
  label: string;
  removed: string;
  added: string;
  /** internal name of the field */
  name: string;
  audience: ReturnType<typeof audienceOf>;
}

/** The rows of a change, for everybody: of the bug, its comments and its attachments. functions/mail/README.md 2 */
export function rowsOf({ history, record, commentPrivacy, attachments, fields }: PublishedChange): Row[] {
  const own = history.filter((one) => one.attachment_id === undefined && one.field_name !== COMMENT_PRIVACY);
  return [
    ...own.map(({ field_name, removed, added }): Row => {
      const audience = audienceOf(field_name, fields);
      const name = internalName(field_name, fields);
      const shown = (text: string) => shownValue(name, text, fields);
      return { label: labelOf(name, fields), removed: shown(removed), added: shown(added), name, audience };
    }),
    ...record.privacy.map(({ count, isPrivate }): Row => {
      const isPublic = count !== undefined && commentPrivacy.get(count) === false;
      return {
        label: `Comment #${count ?? '?'} is private`,
        ...{ removed: bit(!isPrivate), added: bit(isPrivate) },
        ...{ name: COMMENT_PRIVACY, audience: isPublic ? 'everyone' : 'insiders' },
      };
    }),
    ...history.flatMap(({ field_name: name, removed, added, attachment_id: id }): Row[] => {
      if (id === undefined) return [];
      const audience = attachments.get(id)?.is_private === false ? 'everyone' : 'insiders';
      return [{ label: attachmentLabel(id, name), removed, added, name, audience }];
    }),
  ];
}

const LABEL_WIDTH = 19;
const VALUE_WIDTH = 28;
const NEW_VALUE_WIDTH = 55;
const HEAD = `           What    |Removed                     |Added\n${'-'.repeat(LABEL_WIDTH + 2 * VALUE_WIDTH + 1)}\n`;

/**
 * Columns of texts, wrapped within their widths, of which the last character stays empty; without trailing blanks. The first one is
 * aligned to the right.
 */
function columns(texts: readonly string[], widths: readonly number[], separator: string): string {
  const wrapped = texts.map((text, at) => wrapHard(text, (widths[at] ?? 0) - 1));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => {
        const part = wrapped[column]?.[line] ?? '';
        const blanks = ' '.repeat(Math.max(0, width - [...part].length));
        return column > 0 ? part + blanks : blanks + part;
      })
      .join(separator)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** The table of changes as text. */
export function changeTable(rows: readonly Row[]): string {
  const widths = [LABEL_WIDTH, VALUE_WIDTH, VALUE_WIDTH];
  return (
    HEAD + rows.map(({ label, removed, added }) => columns([label, removed, added], widths, '|')).join('')
  );
}

/** The fields of a new bug as text. */
export const fieldTable = (fields: readonly { label: string; value: string }[]): string =>
  fields
    .map(({ label, value }) => columns([`${label}:`, value], [LABEL_WIDTH, NEW_VALUE_WIDTH], ' '))
    .join('');

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
const internalName = (rest: string, fields: BugFields): string => fields.shownAs(rest)?.name ?? rest;

/** What mails call a field. @param name the internal one */
export function labelOf(name: string, fields: BugFields): string {
  const field = fields.named(name);
  return name === 'work_time' ? 'Hours Worked' : field === undefined ? name : pageTitle(field);
}

/** What mails call a field of an attachment. @param name in histories */
const attachmentLabel = (id: number, name: string): string =>
  `Attachment #${id} ${ATTACHMENT_LABELS[name] ?? name}`;

/** Hours with two decimals. */
const hours = (text: string): string => (text === '' ? '' : Number(text).toFixed(2));

/** A value of a history as mails have it. @param name the internal name of the field */
function shownValue(name: string, text: string, fields: BugFields): string {
  if (name === 'resolution' && text === '') return '---';
  return fields.named(name)?.visibleTo === 'timetrackers' ? hours(text) : text;
}
