import { type Call, cancelled, type Fate, faults } from '../support/fault-proxy.ts';
import { randomNumbers } from '../support/random.ts';

const MAX_DELAY_MS = 60;
/** Of what is harmed; whoever is not answered waits long. */
const UNANSWERED = 0.05;

/**
 * Does harm to some of the calls, drawn by chance: throttles, fails, cancels, delays, repeats, closes the connection
 * before or after the call was done, or never answers, leaves batches and pages unfinished.
 *
 * @param share of the calls, from 0 to 1
 * @param seed the same gives the same fates, call by call; the order of the calls is the machine's
 */
export function harmful(share: number, seed: number): (call: Call) => Fate {
  const random = randomNumbers(seed);
  return (call) => {
    const isHarmed = random() < share;
    const kinds = random() < UNANSWERED ? UNANSWERED_KINDS : kindsFor(call);
    const kind = kinds[Math.floor(random() * kinds.length)];
    const delay = Math.ceil(random() * MAX_DELAY_MS);
    if (!isHarmed || kind === undefined) return 'pass';
    return kind === 'delay' ? { delay } : kind;
  };
}

const UNANSWERED_KINDS = ['hang before', 'hang after'] as const;

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
    ...(operation === 'TransactWriteItems' ? whatTransactionsSuffer(call) : []),
    ...(operation.startsWith('Batch') ? (['half', 'half'] as const) : []),
    ...(operation === 'Query' ? (['short page', 'short page'] as const) : []),
  ];
}

const whatTransactionsSuffer = (call: Call): Fate[] => [
  cancelled('TransactionConflict', call),
  cancelled('TransactionConflict', call),
  cancelled('ThrottlingError', call),
  { status: 400, error: 'TransactionInProgressException' },
];
