import autocannon from 'autocannon';
import type { Mix, Task } from './mix.ts';
import { Outcome } from './outcome.ts';
import type { Stage } from './stages.ts';

/** After 30 the gateway answers for a function that has not. */
const GIVE_UP_SECONDS = 35;
/** Where nobody listens, they come by the thousand. */
const MOST_ERRORS = 1_000;

/**
 * Makes requests for the time of a stage, on each connection one after the other. When the time is over, it hangs
 * up: what is under way has no answer then.
 */
export async function drive(url: string, mix: Mix, { seconds, connections }: Stage): Promise<Outcome> {
  const outcome = new Outcome();
  const underWay = new WeakMap<object, { task: Task; began: number }>();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 100,
    timeout: GIVE_UP_SECONDS,
    bailout: MOST_ERRORS,
    requests: [
      {
        setupRequest(request, context) {
          const task = mix.next();
          underWay.set(context, { task, began: performance.now() });
          return { ...request, ...requestOf(task) };
        },
        onResponse(status, body, context) {
          const asked = underWay.get(context);
          if (asked === undefined) outcome.failed(`An answer to no request: ${status}`);
          else outcome.answered(asked.task, status, body, performance.now() - asked.began);
        },
      },
    ],
  });
  const { errors, timeouts, duration } = result;
  if (errors > 0) outcome.failed(`${errors} requests without an answer, ${timeouts} of them after long`);
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
