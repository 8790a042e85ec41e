import { type CallerName, keyOf, loginOf, start } from './initial-catalogue.ts';

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
  const user = start.users.find(({ login }) => login === loginOf(callerName));
  if (user === undefined) throw new Error(`${callerName} is not in the catalogue`);
  return { login: user.login, groups: user.groups };
}

/** @throws Refusal (401, 410); functions/README.md 3 */
export function requireLogin({ login }: Caller): void {
  if (login === '') throw new Refusal(401, 410);
}

/** @throws Refusal (401, 410 or 304); functions/README.md 3 */
export function requireGroup(caller: Caller, group: string): void {
  requireLogin(caller);
  if (!caller.groups.includes(group)) throw new Refusal(401, 304);
}

/** A string: a number becomes its text. functions/README.md 1. */
export const text = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

export const flag = (value: unknown): boolean | undefined =>
  value === undefined ? undefined : value === true;

/** A list of strings: a scalar is a list of one. functions/README.md 1, 6. */
export function list(value: unknown): string[] {
  return [value].flat().flatMap((one) => text(one) ?? []);
}

/** Ids are plain digits. functions/README.md 5. */
export const isDigits = (given: string): boolean => /^\d+$/.test(given);

/** The fields of `object` that include_fields selects, at the top level only. functions/README.md 2. */
export function pick(object: object, included: unknown): object {
  const names = text(included)?.split(',');
  return Object.fromEntries(Object.entries(object).filter(([name]) => names?.includes(name) ?? true));
}
