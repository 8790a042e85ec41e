import { type Cost, cheaper, costOf } from '../capacity.ts';
import { type BenchRequest, type Invoke, type Result, timed, USER } from '../environment.ts';
import type { Meter } from '../meter.ts';
import type { Question } from './operations.ts';

/** What one operation took at one size of the table. */
export interface Measured extends Cost {
  operation: string;
  /** of the table, as wanted: there may be a few more */
  items: number;
  /** milliseconds */
  median: number;
  p99: number;
  /** number of elements in the response, if it grows with the table */
  things: number | undefined;
}

/** Invokes the handlers. */
export interface Handlers {
  direct: Invoke;
  /** through the meter */
  withCapacityTracking: Invoke;
  meter: Meter;
}

const METERED = 3;

/** Repetitions of each request. */
export interface Rounds {
  warmup: number;
  timed: number;
}

/** Total repetitions of each request. */
export const allOf = ({ warmup, timed }: Rounds): number => METERED + warmup + timed;

/**
 * Repeats one request, with an API key.
 *
 * @throws Error when a response is an error
 */
export async function measure(
  { direct, withCapacityTracking, meter }: Handlers,
  { operation, ask, things }: Question,
  items: number,
  rounds: Rounds,
): Promise<Measured> {
  let round = 0;
  const answer = async (invoke: Invoke) => invokeSuccessfully(invoke, ask(round++));
  let cost: Cost | undefined;
  let text = '';
  for (let time = 0; time < METERED; time += 1) {
    meter.take();
    text = (await answer(withCapacityTracking)).body;
    cost = cheaper(cost, costOf(meter.take(), Buffer.byteLength(text)));
  }
  if (cost === undefined) throw new Error('Nothing was measured');
  const { median, p99 } = await timed(() => answer(direct), rounds.timed, rounds.warmup);
  return { operation, items, ...cost, median, p99, things: things?.(text) };
}

async function invokeSuccessfully(invoke: Invoke, request: BenchRequest): Promise<Result> {
  const result = await invoke({ ...request, key: USER });
  if (result.statusCode >= 300) {
    throw new Error(`${request.method} ${request.target}: ${result.statusCode} ${result.body}`);
  }
  return result;
}
