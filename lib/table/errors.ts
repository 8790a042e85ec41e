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

/** Whether the condition of a write held. @throws every other error of the write */
export async function conditionHeld(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/**
 * Another transaction was writing one of the items: nothing was written. What the transaction was computed from
 * may have changed, so it must be read again before the next attempt.
 */
export class TransactionConflict extends Error {
  override name = 'TransactionConflict';
  /** Indices of the actions whose items another transaction held. */
  readonly indices: ReadonlySet<number>;

  constructor(indices: Iterable<number>, options?: ErrorOptions) {
    super('Another transaction writes the same items', options);
    this.indices = new Set(indices);
  }
}

/** Why an optimistic write did not happen: what it was computed from has changed since it was read. */
export type StaleWrite = ConditionFailed | TransactionConflict;

export const isStale = (error: unknown): error is StaleWrite =>
  error instanceof ConditionFailed || error instanceof TransactionConflict;

/** Names and codes of temporary errors of the SDK and of Node's network stack. */
const UNAVAILABLE = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'InternalServerError',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TimeoutError',
  'AbortError',
  'NetworkingError',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether DynamoDB throttled a call, failed or did not respond: the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isServerFault = '$fault' in error && error.$fault === 'server';
  return UNAVAILABLE.has(error.name) || UNAVAILABLE.has(code) || isServerFault;
}

/**
 * Whether IAM denied a call. Policies change before functions when a version is deployed, so the same call may be permitted
 * when the functions have followed.
 */
export const isDenied = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AccessDeniedException';
