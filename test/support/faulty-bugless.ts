import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { type Bugless, serve, startBugless } from './bugless.ts';
import type { Call, Fate, FaultProxy } from './fault-proxy.ts';
import { useFaultProxy } from './use-fault-proxy.ts';

/** Two instances on one table: one with fault injection, one without. */
export interface FaultyBugless {
  faulty: Bugless;
  healthy: Bugless;
  proxy: FaultProxy;
  /** Sets the faults of further calls, which are numbered from 1 again. */
  from(decide: (call: Call) => Fate): void;
}

/** Settings that disable the log. */
export const SILENT = { REQUEST_LOG: 'silent' };

/**
 * By default no call times out and no retry budget is used up, even on a loaded machine.
 *
 * @param settings of the faulty instance
 */
export async function startFaultyBugless(
  settings: Record<string, string> = {},
  catalogue?: CatalogueSource,
): Promise<FaultyBugless> {
  const healthy = await startBugless(catalogue);
  let decide: (call: Call) => Fate = () => 'pass';
  let before = 0;
  const proxy = await useFaultProxy({ decide: (call) => decide({ ...call, number: call.number - before }) });
  const faulty = await serve(healthy.table, {
    DYNAMODB_ENDPOINT: proxy.endpoint,
    DATABASE_RETRY_TIMEOUT_MS: '100000',
    DATABASE_REQUEST_TIMEOUT_MS: '100000',
    ...settings,
  });
  const from = (next: (call: Call) => Fate) => {
    before = proxy.calls.length;
    decide = next;
  };
  return { faulty, healthy, proxy, from };
}

/** Injects a fault into the first call of an operation, or the first calls. `left` is how many more there would be. */
export function onFirst(operation: string, fate: Fate | ((call: Call) => Fate), times = 1) {
  let left = times;
  const decide = (call: Call): Fate => {
    if (left === 0 || call.operation !== operation) return 'pass';
    left -= 1;
    return typeof fate === 'function' ? fate(call) : fate;
  };
  return Object.assign(decide, { left: () => left });
}
