import httpJsonBodyParser from '@middy/http-json-body-parser';
import * as z from 'zod/mini';
import { errors } from '../../errors.ts';
import type { Middleware } from '../handler-types.ts';
import { type Parameters as RequestParameters, readQuery } from '../parameters.ts';
import { type BugzillaRequest, requireRequest } from '../request.ts';

/** Bounds the time that reading a request takes. */
const MAX_PARAMETERS = 10_000;
/** The nesting depth that Bugzilla's JSON parser allows. */
const MAX_DEPTH = 512;
/** Parsing a value takes about a microsecond. */
const MAX_VALUES = 100_000;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/**
 * Reads the body of POST and PUT as parameters: forms as forms, anything else as a JSON object, whatever its content
 * type; an empty body and `null` as no parameters. Parameters of the query string win.
 *
 * @throws errors.bodyUnreadable (400, 32000) when it is not UTF-8, not a JSON object, has a key `__proto__`, nests
 * more than 512 levels, or has more than 100,000 values or 10,000 parameters
 * @example middy(endpoint).use(matchRoute(routes)).use(jsonBody())
 */
export const jsonBody = (): Middleware => ({
  before: async (state) => {
    const request = requireRequest(state.event);
    if (request.route.method !== 'POST' && request.route.method !== 'PUT') return;
    request.parameters = new Map([...(await readBody(request)), ...request.parameters]);
  },
});

async function readBody({ body, headers }: BugzillaRequest): Promise<RequestParameters> {
  const text = decode(body);
  if (/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) {
    if (countSeparators(text) >= MAX_PARAMETERS) throw tooManyParameters();
    return readQuery(text);
  }
  if (text.trim() === '') return new Map();
  checkStructure(text);
  const json = await parseJson(text);
  const parsed = jsonObject.safeParse(json);
  if (!parsed.success) throw errors.bodyUnreadable('it must be a JSON object');
  const parameters = Object.entries(parsed.data ?? {});
  if (parameters.length > MAX_PARAMETERS) throw tooManyParameters();
  return new Map(parameters);
}

const jsonObject = z.nullable(z.record(z.string(), z.unknown()));

/** A byte order mark is kept, so that the parser refuses it. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode({ text, isBase64Encoded }: BugzillaRequest['body']): string {
  if (!isBase64Encoded) return text;
  try {
    return strictUtf8.decode(Buffer.from(text, 'base64'));
  } catch {
    throw errors.bodyUnreadable('it is not UTF-8');
  }
}

/** The part of Middy's state that the parser reads; it replaces the event's body by the parsed one. */
const parserState = z.custom<Parameters<NonNullable<typeof parser.before>>[0]>();

/** Error of the parser: 415 or 422 with the reason as its cause. */
const parserError = z.object({
  message: z.string(),
  cause: z.object({ message: z.optional(z.string()) }),
});

async function parseJson(text: string): Promise<unknown> {
  const event = { body: text, isBase64Encoded: false, headers: {} };
  try {
    await parser.before?.(parserState.parse({ event }));
    return event.body;
  } catch (error) {
    const { data } = parserError.safeParse(error);
    throw errors.bodyUnreadable(data?.cause.message ?? data?.message ?? 'it is not JSON');
  }
}

/** The number of separators in a form, up to the limit of parameters. */
function countSeparators(form: string): number {
  let count = 0;
  for (const [_] of form.matchAll(/[&;]/g)) {
    count += 1;
    if (count >= MAX_PARAMETERS) break;
  }
  return count;
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
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

const tooManyParameters = () => errors.bodyUnreadable(`it has more than ${MAX_PARAMETERS} parameters`);
