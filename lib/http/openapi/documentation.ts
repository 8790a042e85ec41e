import * as z from 'zod/mini';
import { describedParameters, type Parameter, type ParameterText } from '../../base/parameters.ts';
import type { BugzillaError } from '../../errors.ts';
import { OWN_PATHS, type Route } from '../routes.ts';

interface SchemaMetadata {
  /** name in `components/schemas` */
  id?: string;
  description?: string;
}

/** Names and descriptions of schemas. Not zod's global registry, which would be part of every bundle. */
export const metadata = z.registry<SchemaMetadata>();

/** Names a schema: the document has it once, in `components/schemas`, and refers to it. */
export function schemaRef<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  metadata.add(schema, { id, description });
  return schema;
}

/** Describes a schema, which must not be used elsewhere. */
export function describe<T extends z.ZodMiniType>(description: string, schema: T): T {
  metadata.add(schema, { description });
  return schema;
}

/** The documentation of an operation, without what follows from its route. */
export interface OperationText {
  summary: string;
  /** Markdown */
  text: string;
  /** path parameters */
  path?: Readonly<Record<string, ParameterText>>;
  /** schemas of `parameters`: of the query string for GET, of the body for others */
  parameters?: z.core.$ZodType | readonly z.core.$ZodType[];
  /** whether it supports include_fields and exclude_fields */
  selectsFields?: true;
  /** whether a POST is safe to repeat without an `Idempotency-Key`, which it ignores */
  isRepeatable?: true;
  /** whether it takes `If-Match` */
  takesIfMatch?: true;
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

/** Whether an operation honours `Idempotency-Key`. */
export const takesIdempotencyKey = (
  { method }: Pick<Route, 'method'>,
  { isRepeatable }: OperationText,
): boolean => method === 'POST' && isRepeatable !== true;

/** Paths of the interface; others are pages. */
const INTERFACE = '/rest/';

/** Those of them that Bugzilla does not have; other own paths are for the pages. */
const OWN_INTERFACE = [
  '/rest/bugless/audit',
  '/rest/bugless/preferences',
  '/rest/bugless/saved_searches',
  '/rest/bugless/keyword',
  '/rest/bugless/milestone',
  '/rest/bugless/product',
  '/rest/bugless/requests',
  '/rest/bugless/version',
] as const;

/** Whether a path belongs to the interface, and must be documented: those of other formats than JSON do not. */
export const isDocumented = ({ path }: Pick<Route, 'path'>): boolean =>
  path.startsWith(INTERFACE) &&
  (!path.startsWith(OWN_PATHS) || OWN_INTERFACE.some((own) => path.startsWith(own)));

/** The key of an operation: `GET /rest/version`. */
type KeyOf<R extends Route> = Exclude<
  Extract<
    R extends Route ? `${R['method']} ${R['path']}` : never,
    string extends R['path'] ? string : `${string} ${typeof INTERFACE}${string}`
  >,
  string extends R['path'] ? never : UndocumentedKeyOf<R>
>;

type UndocumentedKeyOf<R extends Route> = R extends { path: `${(typeof OWN_INTERFACE)[number]}${string}` }
  ? never
  : R extends { path: `${typeof OWN_PATHS}${string}` }
    ? `${R['method']} ${R['path']}`
    : never;

/** The documentation of a group of routes. */
export interface EndpointGroupDescription<R extends readonly Route[] = readonly Route[]> {
  title: string;
  /** Markdown */
  text: string;
  operations: Readonly<Record<KeyOf<R[number]>, OperationText>>;
}

/** A parameter with its name. */
export type NamedParameter = Parameter & { name: string };

/** The parameters of the query string or the body of an operation. */
export const parametersOf = ({ parameters = [] }: OperationText): NamedParameter[] =>
  [parameters]
    .flat()
    .flatMap((schema) => Object.entries(describedParameters(schema)))
    .map(([name, parameter]) => ({ name, ...parameter }));

/** Documents a parameter of a path, which has the type of its example. */
export const inPath = (text: string, example: string | number): ParameterText => ({
  ...{ text, example },
  type: () => (typeof example === 'number' ? z.int() : z.string()),
});

/** Documents a response with status 200. */
export function responds<T extends z.core.$ZodType>(
  text: string,
  schema: T,
  example: z.output<T>,
): DocumentedResponse {
  return { status: 200, text, schema, example };
}

// What several groups of routes respond.

/** What most things have in responses. */
export const NAMED = { id: z.int(), name: z.string(), description: z.string() };

/** A time in responses. functions/README.md 5. */
export const time = (description: string) => describe(description, z.iso.datetime({ precision: 0 }));

/** What an update has changed of a field. */
export const change = schemaRef(
  'Change',
  "The value of a field before and after the change. Booleans are `'1'` and `'0'`.",
  z.object({
    added: describe('The new value; of a list, what it gained.', z.string()),
    removed: describe('The previous value; of a list, what it lost.', z.string()),
  }),
);

/** Documents a response with the id of what was created. */
export function createsOne(what: string, id: number): DocumentedResponse {
  const name = what.replaceAll(/(?:^| )([a-z])/g, (_, first: string) => first.toUpperCase());
  const schema = schemaRef(
    `Created${name}`,
    `The created ${what}.`,
    z.object({ id: describe(`The id of the new ${what}.`, z.int()) }),
  );
  return { status: 201, text: `The ${what} was created.`, schema, example: { id } };
}
