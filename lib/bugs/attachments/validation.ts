import { errors } from '../../errors.ts';

/** So that the attachments of a bug can be listed. */
export const MAX_ATTACHMENTS_A_BUG = 1_000;
const MAX_FILE_NAME_LENGTH = 255;
export const MAX_ATTACHMENT_SUMMARY_LENGTH = 255;
const MAX_TYPE_LENGTH = 255;
/** Bytes of data in a response, before base64 makes it a third larger: Lambda transfers no more. */
export const MAX_DATA_BYTES = 4_400_000;
/** ASCII, since it becomes a header; of parameters only the character set. */
const CONTENT_TYPE =
  /^((?:application|audio|image|message|model|multipart|text|video)\/[\w.+-]+)(?:\s*;\s*charset=([\w.+:-]+))?$/i;

const PATCH_TYPE = 'text/plain';

/** A file name without its path, trimmed: clients write files with this name. */
const baseName = (given: string): string =>
  given
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .replace(/^.*[/\\]/s, '')
    .trim();

/** A file name without its path, trimmed, at most its last MAX_FILE_NAME_LENGTH characters. */
export function checkFileName(given: string | undefined, missing: () => Error): string {
  const name = [...baseName(given ?? '')].slice(-MAX_FILE_NAME_LENGTH).join('').trim();
  if (/^\.*$/.test(name)) throw missing();
  return name;
}

/** Control characters but for line breaks and tabs. */
const CONTROL_CHARACTERS = /(?![\n\t])\p{Cc}+/gu;

/** A summary, trimmed, with its line breaks, cut after MAX_ATTACHMENT_SUMMARY_LENGTH characters. */
export function checkSummary(given: string | undefined): string {
  const summary = (given ?? '').replace(/\r\n?/g, '\n').replace(CONTROL_CHARACTERS, ' ').trim();
  if (summary === '') throw errors.attachmentSummaryMissing();
  return [...summary].slice(0, MAX_ATTACHMENT_SUMMARY_LENGTH).join('');
}

/** The type and the character set of a content type; undefined: it is none. */
export function parseContentType(given: string): { type: string; charset: string | undefined } | undefined {
  if (given.length > MAX_TYPE_LENGTH) return undefined;
  const [, type, charset] = CONTENT_TYPE.exec(given) ?? [];
  return type === undefined ? undefined : { type, charset };
}

/** A content type, trimmed; Bugless sends it as a header. Of patches any is `text/plain`. functions/attachments/README.md 3. */
export function checkContentType(given: string | undefined, isPatch: boolean): string {
  if (isPatch) return PATCH_TYPE;
  const type = (given ?? '').trim();
  if (parseContentType(type) === undefined) throw errors.contentTypeInvalid(type.slice(0, MAX_TYPE_LENGTH));
  return type;
}

/** Refuses an attachment without data, or with more than `max` bytes. */
export function checkSize(data: Uint8Array, max: number): void {
  if (data.length === 0) throw errors.attachmentEmpty();
  if (data.length > max) throw errors.attachmentTooLarge(max);
}

/** Files whose data one request returns: each is an item at least. */
export const MAX_DATA_FILES = 500;

/** Refuses to read the data of attachments that are too many or too large together, before any is read. */
export function requireReadableData(attachments: readonly { size: number }[]): void {
  const size = attachments.reduce((sum, one) => sum + one.size, 0);
  if (size > MAX_DATA_BYTES || attachments.length > MAX_DATA_FILES) throw errors.attachmentsTooLarge();
}
