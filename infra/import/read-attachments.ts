import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ERASED_DATA, ERASED_FIELDS } from '../../lib/bugs/attachments/erased.ts';
import {
  MAX_ATTACHMENTS_A_BUG,
  MAX_DATA_BYTES,
  parseContentType,
} from '../../lib/bugs/attachments/validation.ts';
import type { AttachmentData } from '../../lib/catalogue/schema-bugs.ts';
import type { Page } from './read-bug-parts.ts';
import type { SourceProduct } from './read-products.ts';
import type { Source } from './read-source.ts';
import type { Row } from './row.ts';

/** Where a bug is, and the flag types of the product. */
export interface Place {
  product: string;
  component: string;
  types: SourceProduct['flagTypes'];
}

/** Flags of types that the component has: Bugzilla, too, shows no others. */
export function flagsOf(
  rows: readonly Row[],
  where: string,
  { types, component }: Place,
  page: Page,
): object[] {
  const { clock, problems, names } = page;
  return rows.flatMap((row) => {
    const [id, typeId] = [row.number('id'), row.number('type_id')];
    const type = types.find(
      ({ id: one, components, excluded_components }) =>
        one === typeId &&
        (components === null || components.includes(component)) &&
        !excluded_components.includes(component),
    );
    const created = clock.time(row.text('creation_date')) ?? clock.time(row.text('modification_date'));
    if (type === undefined || created === undefined) {
      problems.add('flags left out', where, `flag ${id}: its type ${typeId} is not one of '${component}'`);
      return [];
    }
    return [
      {
        id,
        type_id: typeId,
        name: type.name,
        status: row.text('status'),
        setter: names.login(row.number('setter_id')),
        requestee: names.knownLogin(row.number('requestee_id')) ?? null,
        creation_date: created,
        modification_date: clock.time(row.text('modification_date')) ?? created,
      },
    ];
  });
}

/** An attachment as it is read, not yet validated. */
export type SourceAttachment = Record<string, unknown> & { id: number; data: AttachmentData };

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Finds the data of an attachment: in the database, or in a file where Bugzilla keeps large ones. Deleted data is a mark here.
 *
 * @param size that it has in the database; undefined: it is not there
 * @returns the data, which is read when it is needed; its size in bytes; whether it is neither in the database nor in a file;
 * whether a mark is in its place
 */
async function dataOf({ database, attachments }: Source, id: number, size: number | undefined) {
  const found = { isLost: false, isErased: false };
  if (size !== undefined && size > 0) {
    const read = async () => {
      const [row] = await database.select('attach_data', 'id thedata', `WHERE id = ${id}`);
      return row?.bytes('thedata') ?? ERASED_DATA;
    };
    return { ...found, size, read };
  }
  const path = join(attachments ?? '', `group.${String(id % 100).padStart(2, '0')}`, `attachment.${id}`);
  const file = attachments === undefined ? undefined : await stat(path).catch(() => undefined);
  if (file !== undefined) return { ...found, size: file.size, read: () => readFile(path) };
  const read = async () => ERASED_DATA;
  return { size: ERASED_DATA.length, isLost: size === undefined, isErased: true, read };
}

/** The attachments of a bug. Those that are too large, and more than a bug may have, are left out. */
export async function attachmentsOf(bug: number, place: Place, page: Page): Promise<SourceAttachment[]> {
  const { clock, problems, names, parts } = page;
  const attachments: SourceAttachment[] = [];
  for (const row of parts.attachments.get(bug) ?? []) {
    const id = row.number('attach_id');
    const at = `bug ${bug}, attachment ${id}`;
    const flags = (parts.flags.get(bug) ?? []).filter((flag) => flag.number('attach_id') === id);
    const data = await dataOf(page, id, parts.sizes.get(id));
    const created = clock.time(row.text('creation_ts'));
    if (data.size > MAX_DATA_BYTES || created === undefined || attachments.length === MAX_ATTACHMENTS_A_BUG) {
      problems.add('attachments left out', at, `${data.size} bytes`);
      continue;
    }
    if (data.isLost)
      problems.add('attachments changed', at, 'its data is nowhere: it is as if it were deleted');
    const type = row.text('mimetype');
    const isType = parseContentType(type) !== undefined;
    if (!isType)
      problems.add('attachments changed', at, `the content type '${type}' is replaced by ${UNKNOWN_TYPE}`);
    const file = row.text('filename');
    attachments.push({
      id,
      file_name: /[^.\s/\\]/.test(file) ? file : `attachment-${id}`,
      summary: row.text('description'),
      content_type: isType ? type : UNKNOWN_TYPE,
      is_patch: row.boolean('ispatch'),
      ...(data.isErased && { content_type: ERASED_FIELDS.content_type, is_patch: ERASED_FIELDS.is_patch }),
      creator: names.login(row.number('submitter_id')),
      creation_time: created,
      last_change_time: clock.time(row.text('modification_time')) ?? created,
      is_private: row.boolean('isprivate'),
      is_obsolete: row.boolean('isobsolete'),
      data,
      flags: flagsOf(flags, at, place, page),
    });
  }
  return attachments;
}
