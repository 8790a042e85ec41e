import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import { type Parameters, readQuery } from './parameters.ts';

const jsonObject = z.nullable(z.record(z.string(), z.unknown()));

/**
 * Reads a request's body. JSON, whatever its content type says, but a form as a form; an empty body and
 * `null` as no parameters. REFERENCE.md 1.
 *
 * @throws errors.bodyUnreadable (400, 32000) when it is not UTF-8, not JSON, or not an object
 */
export function readBody(event: {
  body?: string | undefined;
  isBase64Encoded: boolean;
  headers: Record<string, string | undefined>;
}): Parameters {
  const body = decoded(event.body ?? '', event.isBase64Encoded);
  if (/^application\/x-www-form-urlencoded\b/i.test(event.headers['content-type'] ?? ''))
    return readQuery(body);
  if (body.trim() === '') return new Map();
  const parsed = jsonObject.safeParse(parsedJson(body));
  if (!parsed.success) throw errors.bodyUnreadable('a JSON object is wanted');
  return new Map(Object.entries(parsed.data ?? {}));
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
