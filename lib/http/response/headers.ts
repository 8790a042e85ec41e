/** Headers of every response. Browsers of any origin may call, with credentials in a header. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=UTF-8',
  'access-control-allow-origin': '*',
  // `*` is any other but Authorization, where there are no cookies; older browsers need names.
  'access-control-allow-headers': [
    'origin, content-type, accept, x-requested-with, authorization, if-match, if-none-match, idempotency-key',
    'x-bugzilla-api-key, x-bugzilla-token, x-bugzilla-login, x-bugzilla-password',
    'user-agent, accept-language, if-modified-since, cache-control, pragma, range, x-request-id, *',
  ].join(', '),
  'access-control-expose-headers': 'etag, retry-after, x-bugless-ignored, x-bugless-left-out',
  'x-content-type-options': 'nosniff',
  // Responses depend on the caller's rights; clients revalidate with the ETag.
  'cache-control': 'private, no-cache',
  // URLs may contain an API key.
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
};

/** Headers of a response of a route for own pages: no other origin reads it, and nothing stores it. */
export function headersForOwnPages(headers: Readonly<Record<string, string>>): Record<string, string> {
  const others = Object.entries(headers).filter(
    ([name]) => !name.startsWith('access-control-') && name !== 'etag',
  );
  return { ...Object.fromEntries(others), 'cache-control': 'no-store' };
}
