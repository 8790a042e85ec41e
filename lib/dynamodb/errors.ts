/** A condition did not hold: nothing was written. */
export class ConditionFailed extends Error {
  override name = 'ConditionFailed';
  /** Indices of the actions whose conditions failed. */
  readonly indices: ReadonlySet<number>;

  constructor(indices: Iterable<number>) {
    super('A condition of the transaction does not hold');
    this.indices = new Set(indices);
  }
}

/**
 * Another transaction was writing one of the items: nothing was written. What the transaction was computed from
 * may have changed, so it must be read again before the next attempt.
 */
export class TransactionConflict extends Error {
  override name = 'TransactionConflict';
}

/** Why an optimistic write did not happen: what it was computed from has changed since it was read. */
export type StaleWrite = ConditionFailed | TransactionConflict;
