import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { UsageError } from '../admin/context.ts';
import { rateLimiter } from './rate-limiter.ts';

/** The address of a Bugzilla, credentials and limits. */
export interface BugzillaOptions {
  /** with or without `/rest` */
  url: string;
  key: string | undefined;
  requestsPerSecond: number;
  concurrency: number;
  /** attempts of a request while the server cannot be reached, or says that it is not available */
  maxAttempts: number;
  /** before the second attempt; doubles with each further one */
  initialDelayMs: number;
  /** makes the signal that ends a request */
  requestTimeout: () => AbortSignal;
  /** called before a retry with the error and the delay in milliseconds */
  onRetry: (reason: string, milliseconds: number) => void;
}

export const DEFAULT_OPTIONS = {
  requestsPerSecond: 5,
  concurrency: 4,
  // About 15 minutes with the delays: a restart takes ten.
  maxAttempts: 45,
  initialDelayMs: 500,
  requestTimeout: () => AbortSignal.timeout(60_000),
  onRetry: () => undefined,
} as const;

/** Attempts of a request that the server answers with an error of its own. */
const MAX_FAILED_ATTEMPTS = 7;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_DELAY_MS = 30_000;
/** A longer Retry-After is cut. */
const MAX_RETRY_AFTER_MS = 300_000;

/** Error codes of Bugzilla: the account is disabled, the key is wrong or revoked, a login is required. */
const LOGIN_ERRORS: ReadonlySet<number | undefined> = new Set([301, 306, 410]);

/** An error response of Bugzilla, or an unexpected response. */
export class BugzillaError extends Error {
  override name = 'BugzillaError';
  readonly status: number;
  /** Bugzilla's error code, if any */
  readonly code: number | undefined;
  /** whether it concerns every request: the key is refused, or what responds is no Bugzilla */
  readonly endsRun: boolean;

  constructor(message: string, status: number, code?: number, endsRun = false) {
    super(message);
    this.status = status;
    this.code = code;
    this.endsRun = endsRun;
  }
}

/** What requests return, or what an error response is made into. */
export const unlessRefused = <T, R>(work: Promise<T>, refused: (error: BugzillaError) => R): Promise<T | R> =>
  work.catch((error: unknown) => {
    if (error instanceof BugzillaError && !error.endsRun) return refused(error);
    throw error;
  });

export interface RequestOptions {
  query?: Query;
  /** without the API key */
  anonymous?: boolean;
  maxAttempts?: number;
}
export type Query = Record<string, string | number | readonly (string | number)[]>;

const errorResponse = z.object({
  error: z.literal([true, 1]),
  code: z.coerce.number().optional(),
  message: z.string().default('no message'),
});

type RequestOutcome =
  | { body: unknown }
  | { failure: Error; retryAfterMs: number | undefined; maxAttempts: number };

/**
 * Where an API key is sent: Mozilla's Bugzilla and Bugless read a header, 5.0 and 5.2 a parameter only, which they write
 * to the access log of their web server.
 */
const KEY_LOCATIONS = ['header', 'parameter'] as const;
type KeyLocation = (typeof KEY_LOCATIONS)[number];
const KEY_PARAMETER = 'Bugzilla_api_key';

interface BugzillaCredentials {
  key: string;
  location: KeyLocation;
}

const headersOf = (credentials: BugzillaCredentials | undefined): Record<string, string> =>
  credentials?.location === 'header' ? { 'x-bugzilla-api-key': credentials.key } : {};

/** A secret as it is, and as URLs have it. */
const spellingsOf = (key: string | undefined): string[] =>
  key === undefined
    ? []
    : [key, encodeURIComponent(key), new URLSearchParams({ key }).toString().slice('key='.length)];

const listedUsers = z.object({ users: z.array(z.unknown()) });

/** Error codes of Bugzilla. */
const ACCOUNT_DISABLED = 301;
/** There are users whom the owner of the key may not see. */
const USER_HIDDEN = 304;
const KEY_INVALID = 306;
/** Ids of users are for users, and everything is, where Bugzilla requires login. */
const ANONYMOUS: ReadonlySet<number | undefined> = new Set([505, 410]);

const CHECK_ADDRESS = 'Check the address, and that this machine reaches it';
const REPEAT = 'Repeat the command later: it goes on where it ended';

export type Bugzilla = ReturnType<typeof bugzillaClient>;

/**
 * A rate-limited client of the REST interface of a Bugzilla.
 *
 * @throws UsageError when the URL is not http or https
 */
export function bugzillaClient({ key, requestsPerSecond, concurrency, ...options }: BugzillaOptions) {
  const base = baseUrl(options.url);
  const limiter = rateLimiter(requestsPerSecond, concurrency);
  let requests = 0;
  let keyLocation: KeyLocation = 'header';

  /** Runs inside the rate limiter, so that the pause takes effect before the next request. */
  async function sendOrPause(path: string, request: RequestOptions): Promise<RequestOutcome> {
    const outcome = await send(path, request);
    if ('failure' in outcome && outcome.retryAfterMs !== undefined) limiter.pause(outcome.retryAfterMs);
    return outcome;
  }

  function delayAfter(attempt: number): number {
    const delay = Math.min(options.initialDelayMs * 2 ** (attempt - 1), MAX_DELAY_MS);
    return delay * (0.5 + Math.random() / 2);
  }

  /** @throws BugzillaError for failures that are not temporary */
  async function send(
    path: string,
    { query = {}, anonymous = false }: RequestOptions,
  ): Promise<RequestOutcome> {
    requests += 1;
    const credentials = key === undefined || anonymous ? undefined : { key, location: keyLocation };
    let response: Response;
    let text: string;
    try {
      response = await fetch(urlOf(path, query, credentials), {
        headers: { accept: 'application/json', ...headersOf(credentials) },
        // fetch would send the key to the target of a redirect.
        redirect: 'manual',
        signal: options.requestTimeout(),
      });
      text = await readBody(path, response);
    } catch (error) {
      if (error instanceof BugzillaError) throw error;
      const failure = new Error(`${base} does not answer: ${redact(causeOf(error))}. ${CHECK_ADDRESS}`);
      return { failure, retryAfterMs: undefined, maxAttempts: options.maxAttempts };
    }
    const { status } = response;
    const retryAfterMs =
      status === 429 || status === 503 ? parseRetryAfter(response.headers.get('retry-after')) : undefined;
    if ([429, 502, 503, 504].includes(status)) {
      const failure = new Error(`${base} is not available: /rest/${path} responds with ${status}. ${REPEAT}`);
      return { failure, retryAfterMs, maxAttempts: options.maxAttempts };
    }
    if (status >= 300 && status < 400) {
      const target = withoutCredentials(response.headers.get('location') ?? '', base);
      throw new BugzillaError(redact(`${base} has moved to ${target}`), status);
    }
    const body = jsonOf(text);
    const error = errorResponse.safeParse(body);
    if (response.ok && body !== undefined && !error.success) return { body };
    const message = error.success ? error.data.message : unexpected(path, status, text);
    const isPage = body === undefined && response.ok;
    const { code } = error.data ?? {};
    const endsRun = isPage || (credentials !== undefined && LOGIN_ERRORS.has(code));
    const failure = new BugzillaError(redact(message), status, code, endsRun);
    if (status >= 500) return { failure, retryAfterMs, maxAttempts: MAX_FAILED_ATTEMPTS };
    throw failure;
  }

  function urlOf(path: string, query: Query, credentials: BugzillaCredentials | undefined): URL {
    const url = new URL(`${base}/rest/${path}`);
    if (credentials?.location === 'parameter') url.searchParams.append(KEY_PARAMETER, credentials.key);
    for (const [name, values] of Object.entries(query)) {
      for (const value of [values].flat()) url.searchParams.append(name, String(value));
    }
    return url;
  }

  /** What to do about a response that is not Bugzilla's. */
  function unexpected(path: string, status: number, text: string): string {
    if (status >= 500) {
      return `${base} fails: /rest/${path} responds with ${status}. Look into the log of its web server. ${REPEAT}`;
    }
    const isPage = /^\s*</.test(text);
    const what = isPage ? 'a web page' : `status ${status}`;
    return `${base} has no REST interface: /rest/${path} responds with ${what}. Name the address at which /rest/version responds; Bugzilla has it since version 5.0`;
  }

  /** Error messages of Bugzilla may contain the key, as it is or as in a URL. */
  const redact = (text: string) =>
    spellingsOf(key).reduce((shown, secret) => shown.replaceAll(secret, '(the API key)'), text);

  /**
   * Sends a GET request. Temporary failures are retried with exponential backoff, or after the time in `Retry-After`.
   *
   * @param path under `/rest/`
   * @param schema of the response
   * @throws BugzillaError for an error response, and one that does not match the schema
   * @throws Error when there was no response, or a temporary failure, after all attempts
   */
  async function get<T>(path: string, schema: z.ZodType<T>, request: RequestOptions = {}): Promise<T> {
    const { maxAttempts = options.maxAttempts } = request;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await limiter.run(() => sendOrPause(path, request));
      if ('body' in outcome) return parse(path, schema, outcome.body, redact);
      if (attempt >= Math.min(maxAttempts, outcome.maxAttempts)) throw outcome.failure;
      const delay = delayAfter(attempt);
      options.onRetry(outcome.failure.message, Math.max(delay, outcome.retryAfterMs ?? 0));
      await sleep(delay);
    }
  }

  /** Whether the API key is read where it is sent now: a request that only users may send. */
  async function isKeyRead(): Promise<boolean> {
    try {
      await get('user', listedUsers, { query: { ids: 1, include_fields: 'id' } });
      return true;
    } catch (error) {
      if (!(error instanceof BugzillaError)) throw error;
      if (error.code === USER_HIDDEN) return true;
      if (ANONYMOUS.has(error.code)) return false;
      if (error.code === KEY_INVALID) throw new Error(`${base} refuses the API key: it is wrong, or revoked`);
      if (error.code === ACCOUNT_DISABLED) {
        throw new Error(`${base} refuses the API key: the account of its owner is disabled`);
      }
      throw error;
    }
  }

  return {
    /** without `/rest`, user, password, query */
    url: base,
    hasKey: key !== undefined,
    /** whether the key is sent in URLs, which web servers log */
    isKeyLogged: () => key !== undefined && keyLocation === 'parameter',
    /** requests sent so far */
    requests: () => requests,

    /**
     * Proves that the API key is read, which later requests rely on: a server ignores a key where it does not expect it. It is
     * sent as a header, and as a parameter only where the header is ignored.
     *
     * @throws Error when the server refuses the key, or reads it in neither location
     */
    async signIn(): Promise<void> {
      for (const location of KEY_LOCATIONS) {
        keyLocation = location;
        if (await isKeyRead()) return;
      }
      throw new Error(`${base} ignores the API key, so it shows what is public only. Does it have API keys?`);
    },

    get,
  };
}

/** The body as text, decompressed. @throws BugzillaError for more than 64 MB, and what reading throws */
async function readBody(path: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > MAX_BODY_BYTES) {
      throw new BugzillaError(`/rest/${path}: the response is larger than 64 MB`, response.status);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The address of a Bugzilla without `/rest`, user, password, query. @throws UsageError when it is not http or https */
export function baseUrl(given: string): string {
  const url = URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError('The URL of a Bugzilla must start with http:// or https://');
  }
  return url.origin + url.pathname.replace(/\/(rest\/?)?$/, '');
}

/** The target of a redirect without user, password, query and fragment, which may have credentials. */
function withoutCredentials(location: string, base: string): string {
  const url = URL.parse(location, base);
  return url === null ? 'an invalid address' : url.origin + url.pathname;
}

function parse<T>(path: string, schema: z.ZodType<T>, body: unknown, redact: (text: string) => string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const found = redact(z.prettifyError(parsed.error));
  throw new BugzillaError(`Unexpected response of /rest/${path}:\n${found}`, 200);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of a failed `fetch` is in the cause of its error. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

/** `Retry-After`, which has seconds or a date, in milliseconds; at most MAX_RETRY_AFTER_MS. */
function parseRetryAfter(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = Number(retryAfter);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(0, milliseconds), MAX_RETRY_AFTER_MS);
}
