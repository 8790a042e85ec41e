import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ERASED_DATA } from '../../lib/bugs/attachments/erased.ts';
import type { AttachmentData } from '../../lib/catalogue/schema-bugs.ts';
import type { Source } from './read-source.ts';

/** The data of an attachment, which is read when it is needed. */
export interface SourceData extends AttachmentData {
  /** in bytes */
  size: number;
  /** whether it is neither in the database nor in a file */
  isLost: boolean;
  /** whether a mark is in its place */
  isErased: boolean;
}

export type AttachmentReader = ReturnType<typeof attachmentReader>;

/** Finds the data of attachments: in the database, or in files where Bugzilla keeps large ones. Deleted data is a mark here. */
export function attachmentReader({ database: { select }, attachments }: Source) {
  const erased = (isLost: boolean): SourceData => ({
    size: ERASED_DATA.length,
    isLost,
    isErased: true,
    read: async () => ERASED_DATA,
  });
  return {
    /** @param size that it has in the database; undefined: it is not there */
    async find(id: number, size: number | undefined): Promise<SourceData> {
      if (size !== undefined && size > 0) {
        const read = async () =>
          (await select('attach_data', ['id', 'thedata'], `WHERE id = ${id}`))[0]?.bytes('thedata') ??
          ERASED_DATA;
        return { size, isLost: false, isErased: false, read };
      }
      if (attachments === undefined) return erased(size === undefined);
      const path = join(attachments, `group.${String(id % 100).padStart(2, '0')}`, `attachment.${id}`);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) return erased(size === undefined);
      return { size: found.size, isLost: false, isErased: false, read: () => readFile(path) };
    },
  };
}
