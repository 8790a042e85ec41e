import autocannon from 'autocannon';
import type { Mix, Task } from './mix.ts';
import { Outcome } from './outcome.ts';
import type { Stage } from './stages.ts';

/** Longer than the timeout of the gateway, which is 30 s. */
const TIMEOUT_SECONDS = 35;
/** Stops early when the service does not respond at all. */
const MAX_ERRORS = 1_000;

/**
 * Sends requests for the duration of a stage, sequentially on each connection. Requests in progress at the end get no
 * response.
 */
export async function drive(url: string, mix: Mix, { seconds, connections }: Stage): Promise<Outcome> {
  const outcome = new Outcome();
  const pending = new WeakMap<object, { task: Task; startedAt: number }>();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 100,
    timeout: TIMEOUT_SECONDS,
    bailout: MAX_ERRORS,
    requests: [
      {
        setupRequest(request, context) {
          const task = mix.next();
          pending.set(context, { task, startedAt: performance.now() });
          return { ...request, ...requestOf(task) };
        },
        onResponse(status, body, context) {
          const sent = pending.get(context);
          if (sent === undefined) outcome.failed(`A response without a request: ${status}`);
          else outcome.answered(sent.task, status, body, performance.now() - sent.startedAt);
        },
      },
    ],
  });
  const { errors, timeouts, duration } = result;
  if (errors > 0) outcome.failed(`${errors} requests without a response, ${timeouts} of them timed out`);
  outcome.perSecond = outcome.all.count / duration;
  return outcome;
}

function requestOf({ method, path, key, body }: Task) {
  return {
    method,
    path,
    headers: {
      'x-bugzilla-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? '' : JSON.stringify(body),
  };
}
