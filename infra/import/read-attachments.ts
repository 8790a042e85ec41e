import { ERASED_DATA } from '../../lib/bugs/attachments/erased.ts';
import { type Bugzilla, BugzillaError, type RequestOptions, unlessRefused } from './bugzilla-client.ts';
import { readBatches } from './read-batches.ts';
import {
  ATTACHMENT_FIELDS,
  attachmentDataResponse,
  attachmentsResponse,
  type ListedAttachment,
} from './source-schema.ts';

export const NOT_RETURNED = 'Bugzilla does not return them';

/** The attachments of a bug without their data, or why Bugzilla does not return them. */
export type AttachmentList = readonly ListedAttachment[] | { why: string };

/**
 * Lists the attachments of bugs, of many in one request: of all, because no comment needs to name an attachment.
 *
 * @returns of each bug
 * @throws what Bugzilla.get throws, if it concerns other bugs too
 */
export async function listAttachments(
  bugzilla: Bugzilla,
  ids: readonly number[],
  options: Pick<RequestOptions, 'anonymous'> = {},
): Promise<Map<number, AttachmentList>> {
  const found = await readBatches(ids, async ([first, ...others]) => {
    const query = { ids: others, include_fields: ATTACHMENT_FIELDS.join(',') };
    const { bugs } = await bugzilla.get(`bug/${first}/attachment`, attachmentsResponse, {
      ...options,
      query,
    });
    return new Map(Object.entries(bugs).map(([id, list]) => [Number(id), list]));
  });
  return new Map(
    ids.map((id): [number, AttachmentList] => {
      const one = found.get(id);
      if (one === undefined) return [id, { why: NOT_RETURNED }];
      return [id, one instanceof BugzillaError ? { why: one.message } : one];
    }),
  );
}

const ERASED = ERASED_DATA.toString('base64');

/**
 * Reads the data of one attachment: each may be large. Where it was deleted in Bugzilla, the mark of erased data is in its place.
 *
 * @param size that Bugzilla lists; undefined: it does not
 * @returns base64, or why there is none
 * @throws what Bugzilla.get throws, if it concerns other attachments too
 */
export const readData = (
  bugzilla: Bugzilla,
  id: number,
  { size, ...options }: Pick<RequestOptions, 'anonymous'> & { size?: number | undefined } = {},
): Promise<{ data: string } | { why: string }> =>
  unlessRefused(
    bugzilla
      .get(`bug/attachment/${id}`, attachmentDataResponse, {
        ...options,
        query: { include_fields: 'data,content_type,is_obsolete' },
      })
      .then(({ attachments: { [id]: found } }) => {
        if (found === undefined) return { why: 'Bugzilla does not return it' };
        if (found.data !== null) {
          const bytes = Buffer.from(found.data, 'base64').length;
          if (size === undefined || bytes === size) return { data: found.data };
          return { why: `Bugzilla lists ${size} bytes, and returns ${bytes}` };
        }
        const isDeleted = found.is_obsolete && found.content_type === 'text/plain';
        return isDeleted
          ? { data: ERASED }
          : { why: 'Bugzilla does not find its data, and does not say that it was deleted' };
      }),
    ({ message: why }) => ({ why }),
  );
