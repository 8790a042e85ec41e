import autocannon from 'autocannon';
import { Latencies } from './latencies.ts';
import type { Mix, Task } from './mix.ts';
import type { Stage } from './stages.ts';

/** What came of one stage. */
export interface Driven {
  /** of answers */
  perSecond: number;
  all: Latencies;
  byOperation: Map<string, Latencies>;
  /** how many answers had which status */
  statuses: Map<number, number>;
  /** the first of the answers that are not of success, and of the requests without an answer */
  failures: string[];
}

const MOST_FAILURES_TOLD = 20;
const GIVE_UP_SECONDS = 28;
/** Where nobody listens, they come by the thousand. */
const MOST_ERRORS = 1_000;

/** Makes requests for the time of a stage, each connection one after the other. */
export async function drive(url: string, mix: Mix, { seconds, connections }: Stage): Promise<Driven> {
  const all = new Latencies();
  const byOperation = new Map<string, Latencies>();
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const fail = (failure: string) => failures.length < MOST_FAILURES_TOLD && failures.push(failure);
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
          const { task, began } = underWay.get(context) ?? {};
          if (task === undefined || began === undefined) throw new Error('An answer to no request');
          const took = performance.now() - began;
          const ofOperation = byOperation.get(task.operation) ?? new Latencies();
          byOperation.set(task.operation, ofOperation);
          ofOperation.add(took);
          all.add(took);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status >= 200 && status < 300) task.acknowledged?.(body);
          else fail(`${task.method} ${task.path}: ${status} ${body.slice(0, 300)}`);
        },
      },
    ],
  });
  if (result.errors > 0) fail(`${result.errors} requests without an answer, ${result.timeouts} by time`);
  return { perSecond: all.count / result.duration, all, byOperation, statuses, failures };
}

function requestOf({ method, path, key, body }: Task) {
  const text = body === undefined ? '' : JSON.stringify(body);
  return {
    method,
    path,
    headers: {
      'x-bugzilla-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: text,
  };
}
