import { type CallerName, keyOf, loginOf, start, type UserName } from './initial-catalogue.ts';

/** A request, independent of HTTP. */
export interface Request {
  by: CallerName;
  /** method and path template */
  route: string;
  path?: Record<string, string>;
  /** strings, and lists for repeated keys */
  query?: Record<string, unknown> | undefined;
  body?: Record<string, unknown> | undefined;
}

/** The compared part of a response: of errors status and code only. */
export interface JsonResponse {
  status: number;
  body: unknown;
}

/** Converts a request to HTTP. */
export function asHttp({ by, route, path = {}, query = {}, body }: Request) {
  const [method = '', template = ''] = route.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) search.append(name, String(one));
  }
  return { method, target: `${filled}?${search}`, options: { key: keyOf(by), body } };
}

/** The caller in the model. */
export interface Caller {
  /** empty for anonymous callers */
  login: string;
  groups: string[];
}

/** Thrown by rules that refuse a request; the world is unchanged. */
export class Refusal extends Error {
  readonly response: JsonResponse;

  constructor(status: number, code: number) {
    super(`${status} ${code}`);
    this.response = { status, body: { code } };
  }
}

/** functions/README.md 3. */
export function callerOf(callerName: CallerName): Caller {
  if (callerName === 'anonymous') return { login: '', groups: [] };
  if (callerName === 'revoked' || callerName === 'unknownKey') throw new Refusal(400, 306);
  const user = catalogueUser(callerName);
  if (user.disabled !== undefined) throw new Refusal(401, 301);
  return { login: user.login, groups: user.groups };
}

function catalogueUser(name: UserName) {
  const user = start.users.find(({ login }) => login === loginOf(name));
  if (user === undefined) throw new Error(`${name} is not in the catalogue`);
  return user;
}

/** @throws Refusal (401, 410); functions/README.md 3 */
export function requireLogin({ login }: Caller): void {
  if (login === '') throw new Refusal(401, 410);
}

/** @throws Refusal (401, 410 or 304); functions/README.md 3 */
export function requireGroup(caller: Caller, group: string, anonymousCode = 410): void {
  if (caller.login === '') throw new Refusal(401, anonymousCode);
  if (!caller.groups.includes(group)) throw new Refusal(401, 304);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** A string: a number becomes its text, a boolean 1 or 0; null means absent. functions/README.md 1. */
export function text(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw new Refusal(400, 53);
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

/** A boolean; null means absent. functions/README.md 1. */
export function flag(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw new Refusal(400, 53);
  return !['false', '0', ''].includes(String(value).toLowerCase());
}

/** A list of strings: a scalar is a list of one, null elements are skipped. functions/README.md 1, 6. */
export function list(value: unknown): string[] {
  return [value].flat().flatMap((one) => text(one) ?? []);
}

/** functions/README.md 5 (limit of a search is one too): plain digits. */
export const isDigits = (given: string): boolean => /^\d+$/.test(given);

/** The trimmed text. @throws Refusal when it is empty */
export function required(given: string | undefined, code: number): string {
  const trimmed = (given ?? '').trim();
  if (trimmed === '') throw new Refusal(400, code);
  return trimmed;
}

/** @throws Refusal when the text is too long */
export function atMost(longest: number, given: string, code: number): string {
  if ([...given].length > longest) throw new Refusal(400, code);
  return given;
}

/** The fields of `object` that include_fields selects, at the top level only. functions/README.md 2. */
export function pick(object: object, included: unknown): object {
  const names = text(included)?.split(',');
  return Object.fromEntries(Object.entries(object).filter(([name]) => names?.includes(name) ?? true));
}
