import * as z from 'zod/mini';
import {
  NamedValues,
  optional,
  type Parameters,
  parseParameters,
  readQuery,
  text,
} from '../base/parameters.ts';
import { errors } from '../errors.ts';
import { anonymous, type Caller, requireUser, type User } from '../people/caller.ts';
import type { Route } from './routes.ts';

const texts = z.record(z.string(), z.optional(z.string()));

/**
 * The part of API Gateway's event (payload format 2.0) that is used. The query string is used raw, because
 * `queryStringParameters` joins repeated keys by commas.
 */
export const gatewayEvent = z.object({
  routeKey: z.string(),
  rawPath: z.string(),
  rawQueryString: z.string(),
  headers: texts,
  // Emulators send null for what is absent.
  pathParameters: z.nullish(texts),
  body: z.nullish(z.string()),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({
    requestId: z.string(),
    http: z.object({ method: z.string(), sourceIp: z._default(z.string(), '') }),
  }),
});
export type GatewayEvent = z.infer<typeof gatewayEvent>;

/** Bounds the time that reading a request takes. */
export const MAX_PARAMETERS = 10_000;

export const tooManyParameters = () => errors.bodyUnreadable(`it has more than ${MAX_PARAMETERS} parameters`);

/** A request as the endpoints see it. */
export class BugzillaRequest {
  readonly method: string;
  /** decoded */
  readonly path: string;
  /** lower-case names */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  /** address that the request came from, as API Gateway sees it */
  readonly sourceIp: string;
  readonly route: Route;
  /** as API Gateway has it; `decodeBody` makes it a JSON text, the parser the value of the text */
  body: unknown;
  isBase64Encoded: boolean;
  /** of the query string; `decodeBody` and `bodyParameters` add those of the body */
  parameters: NamedValues<unknown>;
  /** set by `authenticate`; rejects when the credentials are wrong or do not satisfy the route's policy */
  caller: Promise<Caller> = Promise.resolve(anonymous);
  /** of the caller, set by authentication, for the log */
  userId: number | undefined;
  readonly #pathParameters: Record<string, string | undefined>;

  constructor(event: GatewayEvent, route: Route) {
    this.method = event.requestContext.http.method;
    this.path = event.rawPath;
    this.headers = event.headers;
    this.requestId = event.requestContext.requestId;
    this.sourceIp = event.requestContext.http.sourceIp;
    this.route = route;
    this.body = event.body;
    this.isBase64Encoded = event.isBase64Encoded;
    this.parameters = readQuery(event.rawQueryString);
    this.#pathParameters = event.pathParameters ?? {};
  }

  /** The user of routes whose policy requires one. */
  get user(): Promise<User> {
    return this.caller.then(requireUser);
  }

  /** Adds parameters of the body; those of the query string win. */
  addParameters(given: Iterable<[string, unknown]>): void {
    const added = new Map(given);
    if (added.size > MAX_PARAMETERS) throw tooManyParameters();
    this.parameters = new NamedValues([...added, ...this.parameters]);
  }

  /** A parameter of the path, decoded; empty when the route has none of that name. */
  pathParameter(name: string): string {
    return this.#pathParameters[name] ?? '';
  }

  /** What the request names: by a parameter of the path, where the route has it, and by others. */
  named(inPath: string, others: readonly string[]): string[] {
    const first = this.pathParameter(inPath);
    return first === '' ? [...others] : [first, ...others];
  }
}

/**
 * The request that `matchRoute` made of the event.
 *
 * @throws TypeError when it has not run
 */
export function requireRequest(event: unknown): BugzillaRequest {
  if (event instanceof BugzillaRequest) return event;
  throw new TypeError('The route of the event has not been matched');
}

/** Whether a method reads: GET, and HEAD, which is GET without a body. */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The request id of API Gateway. */
export function requestIdOf(event: unknown, fallback: string): string {
  return event instanceof BugzillaRequest ? event.requestId : fallback;
}

/** The address of this deployment, as the client knows it: `https://bugs.example.org/`. @throws BugzillaError 400 for an invalid header `Host` */
export function baseAddress({ headers }: Pick<BugzillaRequest, 'headers'>): string {
  const protocol = headers['x-forwarded-proto'] ?? 'https';
  const { host = 'localhost' } = headers;
  const url = URL.parse(`${protocol}://${host}/`);
  // With more than a host and a port, the origin is not all of it.
  if (url === null || url.href !== `${url.origin}/`) throw errors.hostInvalid(host);
  return `${protocol}://${host}/`;
}

/** null and '' mean absent; what is not a text is a key that does not exist. */
const secret = optional(
  z.pipe(
    z.catch(text, 'malformed'),
    z.transform((given) => given.trim()),
  ),
);

/** Credentials as parameters. */
export const credentialParameters = z.object({
  api_key: secret,
  Bugzilla_api_key: secret,
  token: secret,
  Bugzilla_token: secret,
  login: secret,
  Bugzilla_login: secret,
  password: secret,
  Bugzilla_password: secret,
});

/** Names of the parameters that hold credentials. */
export const CREDENTIAL_PARAMETERS: readonly string[] = Object.keys(credentialParameters.shape);

/** Parameters of every operation: they authenticate, and select what is shown. */
const COMMON_PARAMETERS: ReadonlySet<string> = new Set([
  ...CREDENTIAL_PARAMETERS,
  'include_fields',
  'exclude_fields',
]);

/**
 * Parses the parameters of an operation that refuses others. functions/README.md 1.
 *
 * @param ignored names of others that are not refused
 */
export function parseKnownParameters<T extends z.ZodMiniObject>(
  schema: T,
  given: Parameters,
  ignored: readonly string[] = [],
): z.output<T> {
  for (const name of given.keys()) {
    const isKnown =
      Object.hasOwn(schema.shape, name) || COMMON_PARAMETERS.has(name) || ignored.includes(name);
    if (!isKnown) throw errors.parameterUnknown(name);
  }
  return parseParameters(schema, given);
}

const IGNORED_HEADER = 'x-bugless-ignored';
const MAX_IGNORED = 20;
const MAX_IGNORED_LENGTH = 50;

/** The header that names parameters that were ignored, as Bugzilla ignores them; none: no header. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  const shown = names
    .filter((name) => !COMMON_PARAMETERS.has(name))
    .slice(0, MAX_IGNORED)
    .map((name) =>
      encodeURIComponent(name.slice(0, MAX_IGNORED_LENGTH).toWellFormed()).replaceAll('%20', ' '),
    );
  return shown.length === 0 ? {} : { [IGNORED_HEADER]: shown.join(', ') };
}
