import type { Encoding } from './gateway-response.ts';

/**
 * The `ETag` header for a content hash. Two encodings of one content differ in their bytes, so a compressed one has a
 * weak tag (RFC 9110, 8.8.1).
 */
export const formatEtag = (hash: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? `"${hash}"` : `W/"${hash}"`;

/** Whether `If-None-Match` names this hash: quoted or bare, weak or strong, in a list, or `*`. */
export function matchesEtag(ifNoneMatch: string | undefined, hash: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map((tag) =>
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .some((tag) => tag === '*' || tag === hash);
}
