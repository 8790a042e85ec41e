import { callsInSequence, type MeteredCall } from './meter.ts';

/** The cost of an operation. */
export interface Cost {
  calls: number;
  inSequence: number;
  readUnits: number;
  writeUnits: number;
  /** of the response */
  bytes: number;
}

/** The total cost of calls. */
export function costOf(calls: MeteredCall[], bytes: number): Cost {
  const sum = (units: 'readUnits' | 'writeUnits') => calls.reduce((all, call) => all + call[units], 0);
  const inSequence = callsInSequence(calls);
  return {
    calls: calls.length,
    inSequence,
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
    bytes,
  };
}

/** Concurrent calls may happen not to overlap, so the minimum is used. */
export const cheaper = (a: Cost | undefined, b: Cost): Cost =>
  a === undefined || b.inSequence < a.inSequence ? b : a;
