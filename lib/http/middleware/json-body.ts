import * as z from 'zod/mini';
import { errors } from '../../errors.ts';
import { type Parameters, readQuery } from '../parameters.ts';

/** More than any client sends; what a request takes to be read is to have a bound. */
const MAX_PARAMETERS = 10_000;
/** As deep as Bugzilla's own JSON parser goes. */
const MAX_DEPTH = 512;

const jsonObject = z.nullable(z.record(z.string(), z.unknown()));

/**
 * Reads a request's body. JSON, whatever its content type says, but a form as a form; an empty body and
 * `null` as no parameters. REFERENCE.md 1.
 *
 * @throws errors.bodyUnreadable (400, 32000) when it is not UTF-8, not JSON, or not an object, nests more than 512
 * deep, or has over 10,000 parameters
 */
export function readBody(event: {
  body?: string | undefined;
  isBase64Encoded: boolean;
  headers: Record<string, string | undefined>;
}): Parameters {
  const body = decoded(event.body ?? '', event.isBase64Encoded);
  if (/^application\/x-www-form-urlencoded\b/i.test(event.headers['content-type'] ?? '')) {
    if (separators(body) >= MAX_PARAMETERS) throw tooMany();
    return readQuery(body);
  }
  if (body.trim() === '') return new Map();
  const json = parsedJson(body);
  if (isDeeper(json, MAX_DEPTH)) throw errors.bodyUnreadable(`it nests more than ${MAX_DEPTH} deep`);
  const parsed = jsonObject.safeParse(json);
  if (!parsed.success) throw errors.bodyUnreadable('a JSON object is wanted');
  const parameters = Object.entries(parsed.data ?? {});
  if (parameters.length > MAX_PARAMETERS) throw tooMany();
  return new Map(parameters);
}

const tooMany = () => errors.bodyUnreadable(`it has more than ${MAX_PARAMETERS} parameters`);

/** How many there are in a form, as far as it matters. */
function separators(form: string): number {
  let count = 0;
  for (const [_] of form.matchAll(/[&;]/g)) {
    count += 1;
    if (count >= MAX_PARAMETERS) break;
  }
  return count;
}

/** Whether `value` nests more than so many levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

function decoded(body: string, isBase64Encoded: boolean): string {
  if (!isBase64Encoded) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'base64'));
  } catch {
    throw errors.bodyUnreadable('it is not UTF-8');
  }
}

function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw errors.bodyUnreadable(error instanceof SyntaxError ? error.message : 'it is not JSON');
  }
}
