import fc from 'fast-check';
import { allRoutes } from '../../functions/endpoint-groups.ts';
import { keys } from '../support/keys.ts';
import { write } from '../support/random-requests/requests.ts';
import { percentEncoded, type SentRequest } from '../support/send-bytes.ts';

/** Texts that commonly cause bugs. */
const NASTY = [
  ...['', ' ', '\u00a0', '\u2003', '0', '00', '1', '2', '-1', '1.5', '1e9', '1e999', 'NaN', 'Infinity'],
  ...['9007199254740993', '99999999999999999999', '-0', '0x10', '1,2', 'true', 'false', 'null', 'undefined'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
  ...['\u0000', 'a\u0000b', '\ud800', 'a\udfff', '\ufeff', '\u202e', '\u0001', '\r\n', 'a\r\nb: c', '\t'],
  ...['Alpha', 'ALPHA', 'alpha-bug', 'spam', 'Spam', 'İ', 'ß', 'ﬁ', 'e\u0301', '👩‍👩‍👧', '🏴'.repeat(30)],
  ...['ａ', '漢', '<b>'],
  ...['../..', './', '%', '%00', '%2F', '%zz', '&', ';', '+', '=', '?', '#', '/', '//', '\\', '"', "'"],
  ...['x'.repeat(64), 'x'.repeat(65), 'ä'.repeat(64), 'x'.repeat(1_025), 'ß'.repeat(1_024)],
  ...['2024-01-02', '2024-02-30T00:00:00Z', '0000-00-00', '9999-12-31T23:59:59-23:59', 'Mon, 1 Jan 2024'],
  ...['$ne', '{{7*7}}', ':pk', '#name', 'attribute_not_exists(pk)', 'COMMENT#', 'PRODUCT#2', '*', 'W/"x"'],
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
);

const NAMES = `name description version has_unconfirmed classification default_milestone is_open is_active create_series
ids names type include_fields exclude_fields comment is_private private work_time new_since comment_ids comment_id id add
remove limit login password bug_id id_or_name summary product component status groups cc alias assigned_to op_sys severity
priority token Bugzilla_token Bugzilla_login Bugzilla_password api_key`;

/** Known and unknown parameter names. */
const name = fc.oneof(
  { weight: 18, arbitrary: fc.constantFrom(...NAMES.split(/\s+/)) },
  { weight: 2, arbitrary: text },
);

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e-7, 99_999.995),
  fc.integer(),
  fc.double({ noNaN: true }),
);

const scalar = fc.oneof({ weight: 3, arbitrary: text }, number, fc.boolean(), fc.constant(null));

const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(name, scalar, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

const object = fc.array(fc.tuple(name, value), { maxLength: 6 }).map(asJson);

/** The JSON of an object from its entries, so that names may be `__proto__` and may repeat. */
function asJson(pairs: [string, unknown][]): string {
  return `{${pairs.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join(',')}}`;
}

/** Bodies that are valid for some route. */
const sound = write.map(({ body = {} }): [string, unknown][] => Object.entries(body));

/** Valid bodies with another value, and arbitrary entries added; of repeated names JSON takes the last. */
const nearlySound = fc
  .tuple(sound, fc.nat(), value, fc.array(fc.tuple(name, value), { maxLength: 2 }))
  .map(([pairs, place, other, more]) => {
    const changed = pairs[place % pairs.length]?.[0] ?? 'name';
    return asJson([...pairs, [changed, other], ...more]);
  });

/** JSON bodies, malformed JSON and arbitrary bytes. */
const body = fc.oneof(
  { weight: 8, arbitrary: sound.map(asJson) },
  { weight: 8, arbitrary: nearlySound },
  { weight: 4, arbitrary: object },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((one) => JSON.stringify(one)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['', ' ', 'null', '{', '}', '{"name":', '[1,2', "{'name': 1}", '{"name":1e999}', '{"limit":-1e999}'],
      ...['{"ids":[[[[[[[[1]]]]]]]]}', `{"ids":${'['.repeat(3_000)}${']'.repeat(3_000)}}`, '\ufeff{}'],
      ...[`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`, '{"comment":"\\ud800"}', '{"name":"\\u0000"}'],
      ...[`{"comment":"${'x'.repeat(70_000)}"}`, `{"name":"${'n'.repeat(300_000)}"}`, '{"add":[null,[],{}]}'],
    ),
  },
  { weight: 1, arbitrary: text },
);

const bytes = fc.oneof(
  { weight: 12, arbitrary: body.map((one) => Buffer.from(one, 'utf8')) },
  { weight: 1, arbitrary: body.map((one) => Buffer.concat([Buffer.from(one), Buffer.from([0xff, 0xc3])])) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((one) => Buffer.from(one)) },
);

const query = fc
  .array(fc.tuple(name, text), { maxLength: 4 })
  .map((pairs) => pairs.map(([key, one]) => `${percentEncoded(key)}=${percentEncoded(one)}`));

const rawQuery = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 6, arbitrary: query.map((pairs) => pairs.join('&')) },
  { weight: 1, arbitrary: query.map((pairs) => pairs.join(';')) },
  { weight: 1, arbitrary: fc.constantFrom('%', '%FF%FE=%C3', '&&&', '=', 'ids', 'ids=%00', '?', 'a=b=c') },
);

const pathParameter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('1', '2', '10', '11', '4', 'Alpha', 'alpha-bug', 'spam') },
  { weight: 3, arbitrary: text.map(percentEncoded) },
  { weight: 1, arbitrary: fc.constantFrom('%FF', '%C3%28', '%', '%zz', '%ED%A0%80', '.', '..', 'a%2Fb') },
);

const declared = allRoutes.filter(({ method }) => method !== 'ANY');
const route = fc.oneof(fc.constantFrom(...declared.filter(({ method }) => method === 'GET')), {
  weight: 2,
  arbitrary: fc.constantFrom(...declared.filter(({ method }) => method !== 'GET')),
});

const path = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(route, fc.array(pathParameter)).map(([route, given]) => {
      let place = 0;
      const filled = route.path.replace(/\{[^}]+\}/g, () => given[place++] || '1');
      return { method: route.method as string, path: filled };
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'), text)
      .map(([method, rest]) => ({ method, path: `/rest/${percentEncoded(rest)}` })),
  },
);

const headers = fc
  .record(
    {
      'content-type': fc.constantFrom(
        ...['application/json', 'application/json; charset=UTF-8', 'text/plain', 'multipart/form-data', ''],
        ...['application/x-www-form-urlencoded', 'application/octet-stream', 'nonsense'],
      ),
      'accept-encoding': fc.constantFrom('gzip', 'br', '*', 'gzip;q=x', 'identity;q=0, *;q=0', ',,;;'),
      'if-none-match': fc.constantFrom('*', '""', 'W/"a", "b"', '"', 'a,b'),
      'x-bugzilla-api-key': fc.constantFrom(...Object.values(keys), '', ' ', 'x'.repeat(3_000), '\u00ff'),
      'x-bugzilla-token': fc.constantFrom('1-aaaaaaaaaaaaaaaaaaaaaa', '1-', 'nonsense', ''),
      authorization: fc.constantFrom('Bearer', `Bearer ${keys.insider}`, 'Basic eDp5', 'Bearer a b'),
    },
    { requiredKeys: [] },
  )
  .chain((given) =>
    // Most requests come from a user with all rights, so that they pass the permission checks.
    fc.constantFrom(true, true, true, false).map((isAdmin) => ({
      ...given,
      ...(isAdmin ? { 'x-bugzilla-api-key': keys.admin, 'x-bugzilla-token': '', authorization: '' } : {}),
    })),
  );

/** Arbitrary requests to all routes. */
export const arbitraryRequest: fc.Arbitrary<SentRequest> = fc
  .record({ to: path, rawQuery, headers, body: fc.option(bytes, { nil: undefined, freq: 8 }) })
  .map(({ to, rawQuery, headers, body }) => ({
    method: to.method,
    target: rawQuery === '' ? to.path : `${to.path}?${rawQuery}`,
    headers,
    body: to.method === 'GET' ? undefined : body,
  }));
