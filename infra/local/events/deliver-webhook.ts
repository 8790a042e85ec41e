import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from '../../../lib/base/time.ts';

/** A body for an address. */
export interface Delivery {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * As API destinations of EventBridge: the target has 5 seconds, and an event is sent again for a day. But 401, which
 * EventBridge retries, is final: here somebody has mistyped the token, and sees it.
 */
const TIMEOUT_MS = 5_000;
const MAX_EVENT_AGE_MS = 24 * 60 * 60 * 1_000;
const RETRIED: ReadonlySet<number> = new Set([407, 409, 429]);
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;

/** By which attempts are timed. */
interface Clock {
  /** milliseconds */
  now(): number;
  /** @param signal ends it */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const MACHINE: Clock = {
  now: () => machineTime().getTime(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
};

/**
 * Sends a body until it is accepted, with exponential backoff.
 *
 * @param signal ends it
 * @param report gets the status, or the error, of an attempt where it is another than before
 * @param clock that of the machine, but for tests
 * @returns whether it was accepted
 */
export async function deliverWebhook(
  delivery: Delivery,
  signal: AbortSignal,
  report: (outcome: string) => void,
  clock = MACHINE,
): Promise<boolean> {
  const started = clock.now();
  let reported: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const status = await post(delivery, signal);
    if (signal.aborted) return false;
    if (reported !== String(status)) report(String(status));
    reported = String(status);
    if (typeof status === 'number' && status >= 200 && status < 300) return true;
    const isFinal = typeof status === 'number' && status >= 300 && status < 500 && !RETRIED.has(status);
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
    if (isFinal || clock.now() + backoff - started > MAX_EVENT_AGE_MS) return false;
    await clock.wait(backoff, signal);
  }
}

/** @returns the status, or why there is none */
async function post({ url, headers, body }: Delivery, signal: AbortSignal): Promise<number | string> {
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', body, redirect: 'manual' },
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}
