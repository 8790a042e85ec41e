import { type Asker, keyOf, loginOf, type Person, start } from './start.ts';

/** A request before it is written as HTTP. */
export interface Request {
  by: Asker;
  /** method and path, with places for what `path` holds */
  route: string;
  path?: Record<string, string>;
  /** texts, and lists of them for what is repeated */
  query?: Record<string, unknown> | undefined;
  body?: Record<string, unknown> | undefined;
}

/** An answer as far as it is compared: of errors the status and the code. */
export interface JsonResponse {
  status: number;
  body: unknown;
}

/** A request as it is sent: method, path with query, and what else goes along. */
export function asHttp({ by, route, path = {}, query = {}, body }: Request) {
  const [method = '', template = ''] = route.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) search.append(name, String(one));
  }
  return { method, target: `${filled}?${search}`, options: { key: keyOf(by), body } };
}

/** Who asks, as the model sees it. */
export interface Caller {
  /** empty: nobody in particular */
  login: string;
  groups: string[];
}

/** Thrown by the rules: the request is refused, and nothing has changed. */
export class Refusal extends Error {
  readonly answer: JsonResponse;

  constructor(status: number, code: number) {
    super(`${status} ${code}`);
    this.answer = { status, body: { code } };
  }
}

/** functions/README.md 3. */
export function callerOf(asker: Asker): Caller {
  if (asker === 'nobody') return { login: '', groups: [] };
  if (asker === 'revoked' || asker === 'stranger') throw new Refusal(400, 306);
  const user = personOf(asker);
  if (user.disabled !== undefined) throw new Refusal(401, 301);
  return { login: user.login, groups: user.groups };
}

function personOf(person: Person) {
  const user = start.users.find(({ login }) => login === loginOf(person));
  if (user === undefined) throw new Error(`${person} is not in the catalogue`);
  return user;
}

/** @throws Refusal (401, 410); functions/README.md 3 */
export function mustLogIn({ login }: Caller): void {
  if (login === '') throw new Refusal(401, 410);
}

/** @throws Refusal (401, 410 or 304); functions/README.md 3 */
export function mustBeIn(caller: Caller, group: string, codeOfNobody = 410): void {
  if (caller.login === '') throw new Refusal(401, codeOfNobody);
  if (!caller.groups.includes(group)) throw new Refusal(401, 304);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** A text: a number becomes its text, a truth value 1 or 0; null as if not given. functions/README.md 1. */
export function text(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw new Refusal(400, 53);
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

/** A truth value; null as if not given. functions/README.md 1. */
export function flag(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw new Refusal(400, 53);
  return ![false, 0, '0', ''].some((no) => no === value);
}

/** A list of texts: of a single one too, and without null. functions/README.md 1, 6. */
export function list(value: unknown): string[] {
  return [value].flat().flatMap((one) => text(one) ?? []);
}

/** functions/README.md 5 (limit of a search is one too): plain digits. */
export const isDigits = (given: string): boolean => /^\d+$/.test(given);

/** The text, or else the error when there is none after trimming. */
export function needed(given: string | undefined, code: number): string {
  const trimmed = (given ?? '').trim();
  if (trimmed === '') throw new Refusal(400, code);
  return trimmed;
}

/** At most so many characters. */
export function atMost(longest: number, given: string, code: number): string {
  if ([...given].length > longest) throw new Refusal(400, code);
  return given;
}

/** `object` without the fields that include_fields leaves out; at its top level only. functions/README.md 2. */
export function pick(object: object, included: unknown): object {
  const names = text(included)?.split(',');
  return Object.fromEntries(Object.entries(object).filter(([name]) => names?.includes(name) ?? true));
}
