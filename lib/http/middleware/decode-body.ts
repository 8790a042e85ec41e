import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { readQuery } from '../../base/parameters.ts';
import { type Charset, isAscii, textOfBytes } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { type BugzillaRequest, MAX_PARAMETERS, requireRequest, tooManyParameters } from '../request.ts';
import type { Middleware } from '../response/gateway-response.ts';
import { writes } from '../routes.ts';

/** The nesting depth that Bugzilla's JSON parser allows. */
const MAX_JSON_DEPTH = 512;
/** Parsing a value takes about a microsecond. */
const MAX_VALUES = 100_000;
/** What is parsed where there is no JSON. */
const NO_JSON = 'null';

/**
 * Makes the body of requests that write the JSON text that the parser takes, whatever its content type; reads forms, but none of
 * several parts.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(decodeBody()).use(httpJsonBodyParser()).use(bodyParameters())
 */
export const decodeBody = (): Middleware => ({
  before: (state) => {
    const request = requireRequest(state.event);
    const hasBody = writes(request.route) && request.route.ignoresBody !== true;
    const contentType = request.headers['content-type'] ?? '';
    if (hasBody && /^\s*multipart\//i.test(contentType)) throw errors.contentTypeUnsupported(contentType);
    const bytes = hasBody ? bytesOf(request) : NO_BYTES;
    request.isBase64Encoded = false;
    request.body = NO_JSON;
    if (bytes.length === 0) return;
    const charset = charsetOf(contentType, bytes);
    if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
      const text = bytes.toString('latin1');
      // Counted before the form is read, which takes memory.
      if (text.split(/[&;]/, MAX_PARAMETERS + 1).length > MAX_PARAMETERS) throw tooManyParameters();
      request.addParameters(readQuery(text, charset));
      return;
    }
    const raw = bytes.toString('latin1');
    checkStructure(raw);
    const text = jsonText(bytes, raw, charset);
    if (text.trim() === '') return;
    request.body = withLongIntegers(text);
  },
});

const NO_BYTES = Buffer.alloc(0);
const bytesOf = ({ body, isBase64Encoded }: BugzillaRequest): Buffer =>
  Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8');

const UTF8 = new Set(['', 'utf-8', 'utf8', 'us-ascii', 'ascii']);
const LATIN = new Set(['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'l1', 'windows-1252', 'cp1252']);

/** What a body says its bytes are. Browsers, too, take ISO 8859-1 for Windows-1252. */
function charsetOf(contentType: string, bytes: Buffer): Charset {
  const [, given = ''] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? [];
  const charset = given.toLowerCase();
  if (LATIN.has(charset)) return 'windows-1252';
  // What is not understood would be stored as something else.
  if (!UTF8.has(charset) && !isUtf8(bytes)) throw errors.bodyUnreadable('its charset is not supported');
  return 'utf-8';
}

/**
 * The text of a JSON body: each name and value in it is UTF-8, or Windows-1252 where it is not.
 *
 * @param raw the bytes, a character for each
 */
function jsonText(bytes: Buffer, raw: string, charset: Charset): string {
  if (charset === 'windows-1252' || isUtf8(bytes)) return textOfBytes(bytes, charset);
  const textOf = (start: number, end: number) => {
    const part = raw.slice(start, end);
    return isAscii(part) ? part : textOfBytes(bytes.subarray(start, end));
  };
  const parts: string[] = [];
  let from = 0;
  for (let at = raw.indexOf('"'); at !== -1; at = raw.indexOf('"', from)) {
    const end = endOfString(raw, at) + 1;
    parts.push(textOf(from, at), textOf(at, end));
    from = end;
  }
  parts.push(textOf(from, raw.length));
  return parts.join('');
}

/**
 * Checks depth and number of values before the text is decoded and parsed; whether it is JSON is left to the parser.
 *
 * @param json each character stands for a byte
 */
function checkStructure(json: string): void {
  let depth = 0;
  let separators = 0;
  let strings = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') {
      at = endOfString(json, at);
      strings += 1;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') separators += 1;
    if (depth > MAX_JSON_DEPTH) throw errors.bodyUnreadable(`it nests more than ${MAX_JSON_DEPTH} levels`);
    // Each value of an object has a name.
    const isFull = separators >= MAX_VALUES || strings > 2 * MAX_VALUES;
    if (isFull) throw errors.bodyUnreadable(`it has more than ${MAX_VALUES} values`);
  }
}

/** Not the digits of a decimal number, nor more digits than a finite number has. */
const LONG_INTEGER = /(?<![\d.eE+-])-?[1-9]\d{15,299}(?![\d.eE])/g;
const asText = (integer: string): string =>
  Number.isSafeInteger(Number(integer)) ? integer : `"${integer}"`;

/** Integers that a number does not hold become texts, so that they keep their digits where a text is wanted. */
function withLongIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  const parts: string[] = [];
  for (let from = 0; from < json.length; ) {
    const quote = json.indexOf('"', from);
    const start = quote === -1 ? json.length : quote;
    const end = quote === -1 ? start : endOfString(json, quote) + 1;
    parts.push(json.slice(from, start).replace(LONG_INTEGER, asText), json.slice(start, end));
    from = end;
  }
  return parts.join('');
}

/** The index of the quote that ends the string that begins at `start`; without one, that of the end of the text. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (first > start + 1 && json[first - 1] === '\\') first -= 1;
    const isEscaped = (at - first) % 2 === 1;
    if (!isEscaped) return at;
  }
  return json.length;
}

const jsonObject = z.nullable(z.record(z.string(), z.unknown()));

/** An error of the parser: 422 with the reason as its cause. */
const parserError = z.object({
  message: z.string(),
  cause: z.object({
    package: z.literal('@middy/http-json-body-parser'),
    message: z.optional(z.string()),
  }),
});

/**
 * Reads the parsed body as parameters, `null` as none. Parameters of the query string win.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(decodeBody()).use(httpJsonBodyParser()).use(bodyParameters())
 */
export const bodyParameters = (): Middleware => ({
  before: (state) => {
    const request = requireRequest(state.event);
    const { data, success } = jsonObject.safeParse(request.body);
    if (!success) throw errors.bodyUnreadable('it must be a JSON object');
    request.addParameters(Object.entries(data ?? {}));
  },
  onError: (state) => {
    const { data } = parserError.safeParse(state.error);
    if (data !== undefined) state.error = errors.bodyUnreadable(data.cause.message ?? data.message);
  },
});
