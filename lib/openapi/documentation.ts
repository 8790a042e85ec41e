import type * as z from 'zod/mini';
import type { BugzillaError } from '../errors.ts';
import type { Route } from '../http/routes.ts';

/** The documentation of a parameter. */
export interface ParameterText {
  /** Markdown */
  text: string;
  required?: true;
  /** the documented type, where the schema that parses the parameter accepts more */
  type?: z.core.$ZodType;
  example?: unknown;
}

/** A parameter with the schema that parses it. */
export interface DocumentedParameter extends ParameterText {
  name: string;
  schema: z.core.$ZodType;
}

/** The documentation of an operation, without what follows from its route. */
export interface OperationText {
  summary: string;
  /** Markdown */
  text: string;
  /** path parameters */
  path?: Readonly<Record<string, ParameterText>>;
  /** parameters of the query string for GET, of the body for others */
  parameters?: readonly DocumentedParameter[];
  /** whether it supports include_fields and exclude_fields */
  selectsFields?: true;
  response: DocumentedResponse;
  /** in addition to those that follow from the route */
  errors: readonly BugzillaError[];
}

/** The documentation of a successful response. */
export interface DocumentedResponse {
  status: 200 | 201;
  /** Markdown */
  text: string;
  schema: z.core.$ZodType;
  example: unknown;
}

/** Paths of the interface; others are pages. */
const INTERFACE = '/rest/';

/** Whether a route belongs to the interface, and must be documented. */
export const isDocumented = ({ path }: Route): boolean => path.startsWith(INTERFACE);

/** The key of an operation: `GET /rest/version`. */
type KeyOf<R extends Route> = Extract<
  R extends Route ? `${R['method']} ${R['path']}` : never,
  string extends R['path'] ? string : `${string} ${typeof INTERFACE}${string}`
>;

/** The documentation of a group of routes. */
export interface EndpointGroupDescription<R extends readonly Route[] = readonly Route[]> {
  title: string;
  /** Markdown */
  text: string;
  operations: Readonly<Record<KeyOf<R[number]>, OperationText>>;
}

/**
 * Documents the parameters of a schema.
 *
 * @throws Error when one has no documentation
 */
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

/** Documents a response with status 200. */
export function responds<T extends z.core.$ZodType>(
  text: string,
  schema: T,
  example: z.output<T>,
): DocumentedResponse {
  return { status: 200, text, schema, example };
}
