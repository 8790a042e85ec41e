import { afterAll, inject } from 'vitest';
import { type Bugless, serve, startBugless } from './bugless.ts';
import { type Call, type Fate, type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** One table served twice: through a proxy that can do harm, and as usual. */
export interface FaultyBugless {
  faulty: Bugless;
  healthy: Bugless;
  proxy: FaultProxy;
  /** Lets these things happen to the calls that come from now on; their numbers begin anew. */
  from(decide: (call: Call) => Fate): void;
}

/** Settings under which nothing is logged, for tests in which much fails. */
export const SILENT = { POWERTOOLS_LOG_LEVEL: 'SILENT' };

/** @param patience in milliseconds: for how long Bugless tries again what fails */
export async function startFaultyBugless(
  retryTimeoutMs: number,
  settings: Record<string, string> = {},
): Promise<FaultyBugless> {
  const healthy = await startBugless();
  let decide: (call: Call) => Fate = () => 'pass';
  let before = 0;
  const proxy = await startFaultProxy({
    target: inject('dynamoDbEndpoint'),
    decide: (call) => decide({ ...call, number: call.number - before }),
  });
  afterAll(() => proxy.stop());
  const faulty = await serve(healthy.table, {
    DYNAMODB_ENDPOINT: proxy.endpoint,
    DATABASE_RETRY_TIMEOUT_MS: String(retryTimeoutMs),
    ...settings,
  });
  const from = (next: (call: Call) => Fate) => {
    before = proxy.calls.length;
    decide = next;
  };
  return { faulty, healthy, proxy, from };
}

/** Lets something happen to the first call of an operation, and nothing to the others. */
export function onFirst(operation: string, fate: Fate | ((call: Call) => Fate)): (call: Call) => Fate {
  let isOver = false;
  return (call) => {
    if (isOver || call.operation !== operation) return 'pass';
    isOver = true;
    return typeof fate === 'function' ? fate(call) : fate;
  };
}
