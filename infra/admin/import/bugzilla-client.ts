import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { Pace } from './rate-limiter.ts';
import { ResponseTooLarge, readBody } from './response-body.ts';

/** How to reach a Bugzilla, and how hard to press it. */
export interface BugzillaOptions {
  /** where it is, with or without `/rest` */
  url: string;
  key: string | undefined;
  requestsPerSecond: number;
  atOnce: number;
  /** how often a request is tried before it has failed */
  attempts: number;
  /** before the second attempt, in milliseconds; doubled for each one after */
  firstDelay: number;
  /** for how many milliseconds an answer is waited for */
  retryTimeoutMs: number;
  /** told when something failed for now, and for how long nothing is asked */
  onDelay: (reason: string, milliseconds: number) => void;
}

export const DEFAULT_OPTIONS = {
  requestsPerSecond: 5,
  atOnce: 4,
  attempts: 7,
  firstDelay: 500,
  retryTimeoutMs: 60_000,
  onDelay: () => undefined,
} as const;

const MAX_DELAY_MS = 30_000;
/** A server that wants to be left alone for longer is asked again another day. */
const MAX_PAUSE_MS = 300_000;

/** Bugzilla answered with an error of its own, or in a way that is not Bugzilla's. */
export class BugzillaError extends Error {
  override name = 'BugzillaError';
  readonly status: number;
  /** Bugzilla's own code, if it gave one */
  readonly code: number | undefined;

  constructor(message: string, status: number, code?: number) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Bugzilla cannot be reached, or not now. */
export class BugzillaUnreachable extends Error {
  override name = 'BugzillaUnreachable';
}

/** What is asked, and how. */
export interface Asking {
  query?: Query;
  /** without the API key */
  anonymously?: boolean;
  /** instead of the usual number */
  attempts?: number;
}
export type Query = Record<string, string | number | readonly (string | number)[]>;

const errorAnswer = z.object({
  error: z.literal([true, 1]),
  code: z.coerce.number().optional(),
  message: z.string().default('no message'),
});

type Outcome = { body: unknown } | { failure: Error; pause: number | undefined };

/** A running Bugzilla, asked politely over its REST interface. */
export class Bugzilla {
  /** without `/rest`, user, password, query */
  readonly url: string;
  /** how many requests were sent so far */
  requests = 0;
  readonly #options: BugzillaOptions;
  readonly #pace: Pace;

  /** @throws Error when the URL is none of http or https */
  constructor(options: BugzillaOptions) {
    this.url = baseOf(options.url);
    this.#options = options;
    this.#pace = new Pace({ perSecond: options.requestsPerSecond, atOnce: options.atOnce });
  }

  get hasKey(): boolean {
    return this.#options.key !== undefined;
  }

  /**
   * Asks for something. What fails for now is asked again, after a while that grows, or that the server names.
   *
   * @param path under `/rest/`
   * @param schema of the answer
   * @throws BugzillaError for an error of Bugzilla, and an answer in another shape
   * @throws BugzillaUnreachable when no attempt succeeded
   */
  async get<T>(path: string, schema: z.ZodType<T>, asking: Asking = {}): Promise<T> {
    const { attempts = this.#options.attempts } = asking;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#pace.run(() => this.#askOrPause(path, asking));
      if ('body' in outcome) return this.#parsed(path, schema, outcome.body);
      if (attempt >= attempts) throw outcome.failure;
      const delay = this.#delayAfter(attempt);
      this.#options.onDelay(outcome.failure.message, Math.max(delay, outcome.pause ?? 0));
      await sleep(delay);
    }
  }

  /** A pause begins before the next request has its turn. */
  async #askOrPause(path: string, asking: Asking): Promise<Outcome> {
    const outcome = await this.#ask(path, asking);
    if ('failure' in outcome && outcome.pause !== undefined) this.#pace.pause(outcome.pause);
    return outcome;
  }

  #delayAfter(attempt: number): number {
    const delay = Math.min(this.#options.firstDelay * 2 ** (attempt - 1), MAX_DELAY_MS);
    return delay * (0.5 + Math.random() / 2);
  }

  #parsed<T>(path: string, schema: z.ZodType<T>, body: unknown): T {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new BugzillaError(`/rest/${path} answers unlike Bugzilla:\n${z.prettifyError(parsed.error)}`, 200);
  }

  /** @throws BugzillaError for what asking again would not change */
  async #ask(path: string, { query = {}, anonymously = false }: Asking): Promise<Outcome> {
    this.requests += 1;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#address(path, query), {
        headers: { accept: 'application/json', ...this.#credentials(anonymously) },
        // The key would go along to wherever the redirection leads.
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#options.retryTimeoutMs),
      });
      text = await readBody(response);
    } catch (error) {
      if (error instanceof ResponseTooLarge) throw new BugzillaError(`/rest/${path}: ${error.message}`, 200);
      return { failure: this.#unreachable(reasonOf(error)), pause: undefined };
    }
    const { status } = response;
    const pause = status === 429 || status === 503 ? pauseOf(response.headers.get('retry-after')) : undefined;
    if ([429, 502, 503, 504].includes(status)) {
      return { failure: this.#unreachable(`it answers /rest/${path} with ${status}`), pause };
    }
    if (status >= 300 && status < 400) {
      const target = withoutCredentials(response.headers.get('location') ?? '', this.url);
      throw new BugzillaError(`${this.url} has moved to ${target}`, status);
    }
    const body = jsonOf(text);
    const error = errorAnswer.safeParse(body);
    if (response.ok && body !== undefined && !error.success) return { body };
    const message = error.success
      ? error.data.message
      : `/rest/${path} answers ${status}, not as Bugzilla does`;
    const failure = new BugzillaError(this.#without(message), status, error.data?.code);
    if (status >= 500) return { failure, pause };
    throw failure;
  }

  #address(path: string, query: Query): URL {
    const address = new URL(`${this.url}/rest/${path}`);
    for (const [name, values] of Object.entries(query)) {
      for (const value of [values].flat()) address.searchParams.append(name, String(value));
    }
    return address;
  }

  #credentials(anonymously: boolean): Record<string, string> {
    const { key } = this.#options;
    return key === undefined || anonymously ? {} : { 'x-bugzilla-api-key': key };
  }

  #unreachable(reason: string): BugzillaUnreachable {
    return new BugzillaUnreachable(`${this.url} cannot be reached: ${this.#without(reason)}`);
  }

  /** A server may repeat the key in what it says. */
  #without(text: string): string {
    return this.#options.key === undefined ? text : text.replaceAll(this.#options.key, '(the API key)');
  }
}

function baseOf(given: string): string {
  const url = URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('The URL of a Bugzilla begins with http:// or https://');
  }
  return url.origin + url.pathname.replace(/\/(rest\/?)?$/, '');
}

/** Where a redirect leads, without user, password, query and fragment: they may have credentials. */
function withoutCredentials(location: string, base: string): string {
  const url = URL.parse(location, base);
  return url === null ? 'an invalid address' : url.origin + url.pathname;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` hides why it failed in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

/** Milliseconds of a Retry-After, which is seconds or a date; at most MAX_PAUSE_MS. */
function pauseOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = Number(retryAfter);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(0, milliseconds), MAX_PAUSE_MS);
}
