/** Headers of every answer. REFERENCE.md 2: browsers of any origin may call, with an API key in a header. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=UTF-8',
  'access-control-allow-origin': '*',
  'access-control-allow-headers': [
    'origin, content-type, accept, x-requested-with, authorization, if-none-match, idempotency-key',
    'x-bugzilla-api-key, x-bugzilla-token, x-bugzilla-login, x-bugzilla-password',
  ].join(', '),
  'access-control-expose-headers': 'etag, retry-after',
  'x-content-type-options': 'nosniff',
  // What one caller may see another may not; what changed is asked for by its ETag.
  'cache-control': 'private, no-cache',
  // A key in the address of a page stays there.
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  vary: 'accept',
};
