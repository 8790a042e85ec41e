import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import { bit } from './collections.ts';
import { type Charset, isAllDigits, isTrue, percentDecoded } from './text.ts';

/** A repeated key of a query string or form: a list, or its last value for a scalar parameter. */
export class RepeatedValue {
  readonly values: readonly string[];

  constructor(values: readonly string[]) {
    this.values = values;
  }
}

/** The parameters of a request by name: strings and RepeatedValues of query and forms, JSON values of a JSON body. */
export type Parameters = ReadonlyMap<string, unknown>;

/** Values by name that know which of them were asked for, so that clients can be told what was ignored. */
export class NamedValues<T> extends Map<string, T> {
  readonly #asked: Set<string>;

  /** @param asked of values that these were made of */
  constructor(entries: Iterable<readonly [string, T]>, asked: Set<string> = new Set()) {
    super(entries);
    this.#asked = asked;
  }

  override get(name: string): T | undefined {
    this.#asked.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.#asked.add(name);
    return super.has(name);
  }

  /** The same values; what is asked of the copy is asked of these. */
  copy(): NamedValues<T> {
    return new NamedValues(this, this.#asked);
  }

  /** The names of values that nothing asked for. */
  ignored(): string[] {
    return [...this.keys()].filter((name) => !this.#asked.has(name));
  }
}

/**
 * Parses a query string or form: `+` is a space, `;` separates as `&` does, repeated keys make a list. Names and values are UTF-8, each
 * for itself Windows-1252 where it is not. functions/README.md 1.
 *
 * @param raw a character for each byte
 * @param charset of a form that says what it is
 */
export function readQuery(raw: string, charset: Charset = 'utf-8'): NamedValues<unknown> {
  const all = new Map<string, string[]>();
  const decoded = (text: string) => percentDecoded(text.replaceAll('+', ' '), charset);
  for (const pair of raw.split(/[&;]/)) {
    if (pair === '') continue;
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const [name, value] = [decoded(pair.slice(0, end)), decoded(pair.slice(end + 1))];
    const values = all.get(name);
    if (values === undefined) all.set(name, [value]);
    else values.push(value);
  }
  return new NamedValues<unknown>(
    [...all].map(([name, values]) => [name, values.length > 1 ? new RepeatedValue(values) : values[0]]),
  );
}

/** Parameters as a query string. @param isKept whether one of this name is in it */
export function queryText(parameters: Parameters, isKept: (name: string) => boolean): string {
  const query = new URLSearchParams();
  for (const [name, value] of parameters) {
    if (!isKept(name)) continue;
    for (const one of value instanceof RepeatedValue ? value.values : [String(value)])
      query.append(name, one);
  }
  return query.toString();
}

const lastOf = (given: unknown) => (given instanceof RepeatedValue ? given.values.at(-1) : given);

const listOf = (given: unknown) => {
  if (given instanceof RepeatedValue) return [...given.values];
  if (given === undefined || given === null) return [];
  return Array.isArray(given) ? given : [given];
};

const scalar = z.union(
  [z.string(), z.number(), z.boolean()],
  'it must be a single string, number or boolean',
);

const scalarText = z.pipe(
  scalar,
  z.transform((given) => (typeof given === 'boolean' ? bit(given) : String(given))),
);
const asText = z.pipe(
  scalarText,
  z.string().check(z.refine((given) => given.isWellFormed(), 'it is not valid Unicode')),
);

/** A string as Bugzilla parses it: a number becomes its text, a boolean 1 or 0. functions/README.md 1. */
export const text = z.pipe(z.transform(lastOf), asText);

/** A decimal number as a string without exponent; a JSON number may have one, a string may not. */
export const decimal = z.pipe(
  z.transform((given: unknown) => {
    const value = lastOf(given);
    if (typeof value !== 'number' || !Number.isFinite(value)) return value;
    return Math.abs(value) < 1e21 ? value.toFixed(10) : BigInt(value).toString();
  }),
  text,
);

/** A boolean: false, 0, "0", "" and, unlike in Bugzilla, "false" are false, anything else is true. functions/README.md 1. */
export const boolean = z.pipe(
  z.pipe(z.transform(lastOf), scalar),
  z.transform((given) => isTrue(String(given))),
);

/** Bounds memory: zod collects the issues of every element. */
const MAX_ELEMENTS = 10_000;
const boundedList = z.pipe(
  z.transform(listOf),
  z.array(z.unknown()).check(z.maxLength(MAX_ELEMENTS, `it has more than ${MAX_ELEMENTS} elements`)),
);

/**
 * A list of at most 10,000 strings: a scalar is a list of one, absent and null an empty one; null elements are skipped.
 */
export const texts = z.pipe(
  z.pipe(boundedList, z.array(z.nullable(asText))),
  z.transform((given) => given.filter((one) => one !== null)),
);

const makeOptional = <T extends z.ZodMiniType>(schema: T) =>
  z.pipe(
    z.transform((given: unknown): unknown => (given === null ? undefined : given)),
    z.optional(schema),
  );
const optionals = new WeakMap<object, z.ZodMiniType>();

/**
 * `schema`, where null means absent. functions/README.md 1 (null on create). Made once of each schema: most parameters are
 * optional texts, and to make parsers is a large part of a cold start.
 */
export function optional<T extends z.ZodMiniType>(schema: T): ReturnType<typeof makeOptional<T>>;
export function optional(schema: z.ZodMiniType): z.ZodMiniType {
  const made = optionals.get(schema) ?? makeOptional(schema);
  optionals.set(schema, made);
  return made;
}

/** `schema`, where absent and null mean `fallback`. functions/README.md 1 (null on create). */
export const withDefault = <T extends z.ZodMiniType>(schema: T, fallback: z.util.NoUndefined<z.output<T>>) =>
  z.pipe(
    z.transform((given: unknown): unknown => (given === null ? undefined : given)),
    z._default(schema, fallback),
  );

const makeNullAsBlank = <T extends z.ZodMiniType>(schema: T) =>
  z.optional(
    z.pipe(
      z.transform((given: unknown): unknown => (given === null ? '' : given)),
      schema,
    ),
  );
const blanks = new WeakMap<object, z.ZodMiniType>();

/** `schema`, where null means '': empty for a string, false for a boolean. functions/README.md 4.5. Made once of each. */
export function nullAsBlank<T extends z.ZodMiniType>(schema: T): ReturnType<typeof makeNullAsBlank<T>>;
export function nullAsBlank(schema: z.ZodMiniType): z.ZodMiniType {
  const made = blanks.get(schema) ?? makeNullAsBlank(schema);
  blanks.set(schema, made);
  return made;
}

/** How the OpenAPI document describes a parameter. */
export interface ParameterText {
  /** Markdown */
  text: string;
  required?: true;
  /** the documented type, where the schema that parses the parameter accepts more */
  type?: () => z.core.$ZodType;
  example?: unknown;
}

/** A parameter: how it is parsed, and what it is. */
export interface Parameter<T extends z.ZodMiniType = z.ZodMiniType> extends ParameterText {
  schema: T;
}

/** Describes a parameter where it is parsed. */
export const param = <T extends z.ZodMiniType>(
  schema: T,
  text: string,
  more: Omit<ParameterText, 'text'> = {},
): Parameter<T> => ({ schema, text, ...more });

type Shape<T extends Readonly<Record<string, Parameter>>> = { [K in keyof T]: T[K]['schema'] };

function shapeOf<T extends Readonly<Record<string, Parameter>>>(all: T): Shape<T>;
function shapeOf(all: Readonly<Record<string, Parameter>>): object {
  return Object.fromEntries(Object.entries(all).map(([name, { schema }]) => [name, schema]));
}

const described = new WeakMap<object, Readonly<Record<string, Parameter>>>();

/** The schema of the parameters of an operation, which `describedParameters` documents. */
export function parameters<T extends Readonly<Record<string, Parameter>>>(all: T): z.ZodMiniObject<Shape<T>> {
  const schema = z.object(shapeOf(all));
  described.set(schema, all);
  return schema;
}

/**
 * The parameters of a schema that `parameters` made, by name.
 *
 * @throws Error for another schema
 */
export function describedParameters(schema: object): Readonly<Record<string, Parameter>> {
  const found = described.get(schema);
  if (found === undefined) throw new Error('The parameters of an operation have no documentation');
  return found;
}

/** A number in digits only. */
export function requireInteger(name: string, given: string): number {
  if (!isAllDigits(given)) throw errors.parameterNotInteger(name, given);
  return Number(given);
}

const isKeyed = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !(given instanceof RepeatedValue);

/**
 * The keys inside objects of parameters that parsing has ignored, such as `keywords.added`.
 *
 * @param parsed the same parameters, parsed
 */
export function ignoredWithin(given: Parameters, parsed: Readonly<Record<string, unknown>>): string[] {
  const keysOf = (name: string, raw: unknown, read: unknown): string[] =>
    isKeyed(raw) && isKeyed(read)
      ? Object.keys(raw).flatMap((key) => (Object.hasOwn(read, key) ? [] : [`${name}.${key}`]))
      : [];
  const all = Object.entries(parsed).flatMap(([name, read]) => {
    const raw = given.get(name);
    if (!Array.isArray(raw) || !Array.isArray(read)) return keysOf(name, raw, read);
    return raw.flatMap((one: unknown, index) => keysOf(name, one, read[index]));
  });
  return [...new Set(all)];
}

/** Parses the parameters of an operation; others are ignored. */
export function parseParameters<T extends z.ZodMiniType>(schema: T, given: Parameters): z.output<T> {
  const known = schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : [...given.keys()];
  const asked = known.filter((name) => given.has(name)).map((name) => [name, given.get(name)]);
  const parsed = schema.safeParse(Object.fromEntries(asked));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw errors.parameterInvalid(String(issue?.path[0] ?? ''), issue?.message ?? 'it cannot be read');
}
