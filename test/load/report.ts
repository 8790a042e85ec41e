import { printTable } from '../bench/print.ts';
import type { Latencies } from './latencies.ts';
import { inMB, type Memory } from './memory.ts';
import type { Outcome } from './outcome.ts';
import type { Stage } from './stages.ts';

const SHARES = { p50: 0.5, p90: 0.9, 'p97.5': 0.975, p99: 0.99, max: 1 };

/** Prints the latencies of a stage by operation. */
export function printStage(
  { seconds, connections, isSteady }: Stage,
  outcome: Outcome,
  memory: number,
): void {
  const { all, byOperation, perSecond, statuses } = outcome;
  const counts = [...statuses].sort().map(([status, many]) => `${many} × ${status}`);
  const kind = isSteady ? 'steady' : 'ramp';
  printTable(
    `${kind}: ${connections} connections for ${Math.round(seconds)} s, ${perSecond.toFixed(0)} requests/s, ${counts.join(', ')}, memory ${inMB(memory)} MB at the start (milliseconds:)`,
    [
      row('all', all),
      ...[...byOperation].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => row(name, one)),
    ],
  );
}

/** Prints the memory of the service under steady load. */
export function printMemory({ samples, heap }: Memory): void {
  console.log(`\nMemory in MB: ${samples.map(inMB).join(' ')}`);
  console.log(`Heap after garbage collection: ${inMB(heap.before)} MB before, ${inMB(heap.after)} MB after`);
}

function row(operation: string, latencies: Latencies): Record<string, string | number> {
  const times = latencies.percentiles(Object.values(SHARES)).map((time) => time.toFixed(1));
  const named = Object.keys(SHARES).map((name, at) => [name, times[at] ?? '']);
  return { operation, requests: latencies.count, ...Object.fromEntries(named) };
}
