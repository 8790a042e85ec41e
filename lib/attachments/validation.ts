import { errors } from '../errors.ts';
import { characters } from '../text.ts';

const MAX_NAME_LENGTH = 255;
const MAX_SUMMARY_LENGTH = 255;
const CONTENT_TYPE =
  /^(application|audio|image|message|model|multipart|text|video)\/[\w.+-]+(\s*;\s*[\w-]+=[^\s;"]+)*$/i;

/** The content type of patches, whatever the request says. */
export const PATCH_TYPE = 'text/plain';

/** A file name without its path, trimmed: clients write files with this name. */
export const baseName = (given: string): string =>
  given
    .replace(/[\r\n]/g, ' ')
    .trim()
    .replace(/^.*[/\\]/s, '');

/**
 * A file name without its path, trimmed, at most its last 255 characters.
 *
 * @throws the error for an empty one
 */
export function checkFileName(given: string | undefined, missing: () => Error): string {
  const name = baseName(given ?? '');
  if (name === '') throw missing();
  return [...name].slice(-MAX_NAME_LENGTH).join('');
}

/** @throws errors.attachmentSummaryMissing (400, 604), errors.textTooLong (400, 104) */
export function checkSummary(given: string | undefined): string {
  const summary = (given ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  if (summary === '') throw errors.attachmentSummaryMissing();
  if (characters(summary) > MAX_SUMMARY_LENGTH) throw errors.textTooLong('summary', MAX_SUMMARY_LENGTH);
  return summary;
}

/** @throws errors.contentTypeInvalid (400, 601) */
export function checkContentType(given: string | undefined): string {
  const type = (given ?? '').trim();
  if (!CONTENT_TYPE.test(type)) throw errors.contentTypeInvalid(type);
  return type;
}

/**
 * @param max in bytes
 * @throws errors.attachmentEmpty (400, 606), errors.attachmentTooLarge (400, 600)
 */
export function checkSize(data: Uint8Array, max: number): void {
  if (data.length === 0) throw errors.attachmentEmpty();
  if (data.length > max) throw errors.attachmentTooLarge(max);
}
