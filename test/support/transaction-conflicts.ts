import { setTimeout as sleep } from 'node:timers/promises';

/** A call of the SDK, before it reaches DynamoDB. */
export interface Call {
  /** counted from 1 */
  number: number;
  /** `GetItem`, `TransactWriteItems`, … */
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
  body: any;
}

/** An error that a proxy responds with. */
export type ErrorResponse = { status: number; error: string; [field: string]: unknown };

/** How long DynamoDB holds the items of a transaction. */
const HOLD_MS = 15;

/**
 * Simulates the transaction conflicts of DynamoDB, which DynamoDB Local never reports: while a transaction runs, other
 * writes to one of its items are refused.
 */
export class TransactionConflicts {
  readonly #held = new Set<string>();
  /** refused so far */
  count = 0;

  /**
   * Runs a call of DynamoDB, or refuses it.
   *
   * @param run forwards the call
   * @param refuse answers it with an error
   */
  async guard(
    call: Call,
    run: () => Promise<void>,
    refuse: (error: ErrorResponse) => Promise<void>,
  ): Promise<void> {
    const keys = keysOf(call);
    const isHeld = (key: string) => this.#held.has(key);
    if (keys.some(isHeld)) {
      this.count += 1;
      return refuse(call.operation === 'TransactWriteItems' ? cancellation(keys.map(isHeld)) : CONFLICT);
    }
    if (call.operation !== 'TransactWriteItems') return run();
    for (const key of keys) this.#held.add(key);
    const minimum = sleep(HOLD_MS);
    try {
      // The response follows the end of the transaction, so a client never conflicts with itself.
      await minimum;
      await run();
    } finally {
      for (const key of keys) this.#held.delete(key);
    }
  }
}

const CONFLICT: ErrorResponse = {
  status: 400,
  error: 'TransactionConflictException',
  message: 'Transaction is ongoing for the item',
};

const cancellation = (held: boolean[]): ErrorResponse => ({
  status: 400,
  error: 'TransactionCanceledException',
  message: 'Transaction cancelled',
  CancellationReasons: held.map((isHeld) =>
    isHeld
      ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' }
      : { Code: 'None' },
  ),
});

/** The keys that a call writes. */
function keysOf({ operation, body }: Call): string[] {
  switch (operation) {
    case 'TransactWriteItems':
      return body.TransactItems.map((action: Record<string, { Key?: unknown; Item?: unknown }>) => {
        const [parameters] = Object.values(action);
        return keyText(parameters?.Key ?? parameters?.Item);
      });
    case 'PutItem':
      return [keyText(body.Item)];
    case 'UpdateItem':
    case 'DeleteItem':
      return [keyText(body.Key)];
    default:
      return [];
  }
}

const keyText = (item: unknown): string => {
  const { pk, sk } = item as { pk: { S: string }; sk: { S: string } };
  return `${pk.S} ${sk.S}`;
};
