import { type Call, cancelled, type Fate, faults } from '../support/fault-proxy.ts';
import { randomNumbers } from '../support/random.ts';

const MAX_DELAY_MS = 60;
/** The share of faults without a response. Low, because the client waits for a timeout. */
const TIMEOUT_RATE = 0.05;

/**
 * Injects random faults: throttling, errors, cancelled transactions, delays, repeated calls, connections closed before or
 * after the call was executed, timeouts, incomplete batches and short pages.
 *
 * @param rate of faults, from 0 to 1
 * @param seed determines the fault of the n-th call; the order of concurrent calls may differ
 */
export function randomFaults(rate: number, seed: number): (call: Call) => Fate {
  const random = randomNumbers(seed);
  return (call) => {
    const isFaulty = random() < rate;
    const kinds = random() < TIMEOUT_RATE ? TIMEOUT_KINDS : kindsFor(call);
    const kind = kinds[Math.floor(random() * kinds.length)];
    const delay = Math.ceil(random() * MAX_DELAY_MS);
    if (!isFaulty || kind === undefined) return 'pass';
    return kind === 'delay' ? { delay } : kind;
  };
}

const TIMEOUT_KINDS = ['hang before', 'hang after'] as const;

function kindsFor(call: Call): readonly (Fate | 'delay')[] {
  const { operation } = call;
  return [
    faults.throttling,
    faults['exceeded throughput'],
    faults['an internal error'],
    'close before',
    'close after',
    'twice',
    'delay',
    ...(operation === 'TransactWriteItems' ? transactionFaults(call) : []),
    ...(operation.startsWith('Batch') ? (['half', 'half'] as const) : []),
    ...(operation === 'Query' ? (['short page', 'short page'] as const) : []),
  ];
}

const transactionFaults = (call: Call): Fate[] => [
  cancelled('TransactionConflict', call),
  cancelled('TransactionConflict', call),
  cancelled('ThrottlingError', call),
  { status: 400, error: 'TransactionInProgressException' },
];
