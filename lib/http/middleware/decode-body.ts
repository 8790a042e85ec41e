import { errors } from '../../errors.ts';
import { readQuery } from '../../parameters.ts';
import type { Middleware } from '../handler-types.ts';
import { type BugzillaRequest, MAX_PARAMETERS, requireRequest, tooManyParameters } from '../request.ts';
import { writes } from '../routes.ts';

/** The nesting depth that Bugzilla's JSON parser allows. */
const MAX_DEPTH = 512;
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
    const hasBody = writes(request.route);
    const contentType = request.headers['content-type'] ?? '';
    if (hasBody && /^\s*multipart\//i.test(contentType)) throw errors.contentTypeUnsupported(contentType);
    const text = hasBody ? decode(request) : '';
    request.isBase64Encoded = false;
    request.body = NO_JSON;
    if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
      // Counted before the form is read, which takes memory.
      if (text.split(/[&;]/, MAX_PARAMETERS + 1).length > MAX_PARAMETERS) throw tooManyParameters();
      request.addParameters(readQuery(text));
    } else if (text.trim() !== '') {
      checkStructure(text);
      request.body = text;
    }
  },
});

/** A byte order mark is kept, so that the parser refuses it. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode({ body, isBase64Encoded }: BugzillaRequest): string {
  const text = String(body ?? '');
  if (!isBase64Encoded) return text;
  try {
    return strictUtf8.decode(Buffer.from(text, 'base64'));
  } catch {
    throw errors.bodyUnreadable('it is not UTF-8');
  }
}

/** Checks depth and number of values before the text is parsed; whether it is JSON is left to the parser. */
function checkStructure(json: string): void {
  let depth = 0;
  let separators = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') separators += 1;
    if (depth > MAX_DEPTH) throw errors.bodyUnreadable(`it nests more than ${MAX_DEPTH} levels`);
    if (separators >= MAX_VALUES) throw errors.bodyUnreadable(`it has more than ${MAX_VALUES} values`);
  }
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
