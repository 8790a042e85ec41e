import type * as z from 'zod/mini';
import type { BugzillaError } from '../errors.ts';
import type { Route } from '../http/routes.ts';

/** What the document says of a parameter. */
export interface ParameterText {
  /** Markdown */
  text: string;
  required?: true;
  /** what is wanted, where the schema that reads it takes more than that */
  wants?: z.core.$ZodType;
  example?: unknown;
}

/** A parameter with the schema that reads it. */
export interface DocumentedParameter extends ParameterText {
  name: string;
  schema: z.core.$ZodType;
}

/** What the document says of an operation; parameters, errors and security that follow from its route stand apart. */
export interface OperationText {
  summary: string;
  /** Markdown */
  text: string;
  /** of the path */
  path?: Readonly<Record<string, ParameterText>>;
  /** of the query for GET, of the body for others */
  parameters?: readonly DocumentedParameter[];
  /** whether it takes include_fields and exclude_fields */
  selectsFields?: true;
  answer: DocumentedAnswer;
  /** beyond those that every route of its kind has */
  errors: readonly BugzillaError[];
}

/** What an operation answers when all goes well. */
export interface DocumentedAnswer {
  status: 200 | 201;
  /** Markdown */
  text: string;
  schema: z.core.$ZodType;
  example: unknown;
}

/** Paths of the interface; others are pages for people. */
const INTERFACE = '/rest/';

/** Whether a route is one of the interface, and so documented. */
export const isDocumented = ({ path }: Route): boolean => path.startsWith(INTERFACE);

/** By which an operation is documented: `GET /rest/version`. */
type KeyOf<R extends Route> = Extract<
  R extends Route ? `${R['method']} ${R['path']}` : never,
  string extends R['path'] ? string : `${string} ${typeof INTERFACE}${string}`
>;

/** What the document says of a group of routes. */
export interface GroupText<R extends readonly Route[] = readonly Route[]> {
  title: string;
  /** Markdown */
  text: string;
  operations: Readonly<Record<KeyOf<R[number]>, OperationText>>;
}

/** Documents a schema's parameters, each of them. */
export function parametersOf<T extends z.ZodMiniObject>(
  schema: T,
  texts: Readonly<Record<keyof T['shape'] & string, ParameterText>>,
): DocumentedParameter[] {
  const byName = new Map(Object.entries<ParameterText>(texts));
  return Object.entries<z.core.$ZodType>(schema.shape).map(([name, one]) => {
    const text = byName.get(name);
    if (text === undefined) throw new Error(`The parameter ${name} has no documentation`);
    return { name, schema: one, ...text };
  });
}

/** 200 with an example that fits its schema. */
export function answers<T extends z.core.$ZodType>(
  text: string,
  schema: T,
  example: z.output<T>,
): DocumentedAnswer {
  return { status: 200, text, schema, example };
}

/** 201 with an example that fits its schema. */
export function creates<T extends z.core.$ZodType>(
  text: string,
  schema: T,
  example: z.output<T>,
): DocumentedAnswer {
  return { status: 201, text, schema, example };
}
