import { send, startProxy } from '../support/fault-proxy.ts';

/** One call to DynamoDB. */
export interface MeteredCall {
  operation: string;
  /** milliseconds */
  startedAt: number;
  ended: number;
  readUnits: number;
  writeUnits: number;
}

/** A proxy before DynamoDB Local that records each call and its consumed capacity. */
export interface Meter {
  endpoint: string;
  /** the calls since the last call of this function */
  take(): MeteredCall[];
  stop(): Promise<void>;
}

/**
 * Starts a meter.
 *
 * @param target endpoint of DynamoDB Local
 */
export async function startMeter(target: string): Promise<Meter> {
  let calls: MeteredCall[] = [];
  const proxy = await startProxy(target, async ({ operation, body }, response, forward) => {
    const startedAt = performance.now();
    const input = { ...body, ReturnConsumedCapacity: 'TOTAL' };
    const reply = await forward(input);
    const units = unitsOf(operation, input, JSON.parse(reply.body));
    calls.push({ operation, startedAt, ended: performance.now(), ...units });
    send(response, reply);
  });
  return {
    ...proxy,
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

interface CallInput {
  TransactItems?: Record<string, { Item?: unknown }>[];
}
interface CallOutput {
  ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[];
}

function unitsOf(operation: string, input: CallInput, output: CallOutput) {
  if (operation === 'TransactWriteItems') return { readUnits: 0, writeUnits: transactionUnits(input) };
  const currentCapacity = [output.ConsumedCapacity ?? []].flat();
  const units = currentCapacity.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  return WRITES.has(operation) ? { readUnits: 0, writeUnits: units } : { readUnits: units, writeUnits: 0 };
}

/** DynamoDB Local reports too little for transactions: each item consumes two units per started KB. */
function transactionUnits({ TransactItems = [] }: CallInput): number {
  return TransactItems.reduce((sum, action) => {
    const item = action['Put']?.Item;
    const bytes = item === undefined ? 1 : JSON.stringify(item).length;
    return sum + 2 * Math.ceil(bytes / 1_024);
  }, 0);
}

/** The longest chain of calls that do not overlap. */
export function callsInSequence(calls: MeteredCall[]): number {
  const depths: number[] = [];
  for (const [place, call] of calls.entries()) {
    const before = calls
      .slice(0, place)
      .flatMap((other, at) => (other.ended <= call.startedAt ? [depths[at] ?? 0] : []));
    depths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...depths);
}
