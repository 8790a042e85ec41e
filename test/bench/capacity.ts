import { callsInSequence, type MeteredCall } from './meter.ts';

/** What an operation takes. */
export interface Cost {
  calls: number;
  inSequence: number;
  readUnits: number;
  writeUnits: number;
  /** of the answer */
  bytes: number;
}

/** What these calls took together. */
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

/** Calls that run side by side may by chance not overlap, so the least that was seen counts. */
export const cheaper = (a: Cost | undefined, b: Cost): Cost =>
  a === undefined || b.inSequence < a.inSequence ? b : a;
