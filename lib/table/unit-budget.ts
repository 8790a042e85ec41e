import { RetriesExhausted } from './retry.ts';

/**
 * Read units that calls may take together. What a call may take is reserved before it, and settled after it, so that calls
 * that run at the same time see what the others may take.
 */
export class UnitBudget {
  #used = 0;
  /** of calls that run */
  #reserved = 0;
  #max: number;
  #waiting: (() => void)[] = [];
  /** of calls without a response, which may not have used them */
  #unanswered = 0;
  /** why the last one of these had none */
  #cause: unknown;
  readonly #exceeded: () => Error;

  /** @param exceeded makes the error of a call that would begin after everything is used */
  constructor(max: number, exceeded: () => Error) {
    this.#max = max;
    this.#exceeded = exceeded;
  }

  /** Units that were used. */
  get used(): number {
    return this.#used;
  }

  /** Changes how many units there are. */
  limit(max: number): void {
    this.#max = max;
  }

  /** Counts units that were used. @throws as `reserve`, where they are more than it has */
  count(units: number): void {
    this.#used += units;
    if (this.#used > this.#max) throw this.#refusal();
  }

  /**
   * Reserves what a call may take. Where that does not fit, it waits for the calls that run; alone, a call may take more than
   * is left, so that the budget is exceeded by one call at most.
   *
   * @throws the error of the budget where nothing is left; RetriesExhausted where that is due to calls without a response
   */
  async reserve(units: number): Promise<void> {
    for (;;) {
      const left = this.#max - this.#used;
      if (left < 0 || (left === 0 && units > 0)) throw this.#refusal();
      if (this.#reserved === 0 || this.#reserved + units <= left) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#reserved += units;
  }

  #refusal(): Error {
    if (this.#unanswered === 0 || this.#used - this.#unanswered >= this.#max) return this.#exceeded();
    return new RetriesExhausted('DynamoDB did not respond to as many calls as a request may make', {
      cause: this.#cause,
    });
  }

  /** Says that a call had no response: it may have used what was reserved for it. @param cause its error */
  settleUnanswered(reserved: number, cause: unknown): void {
    this.#unanswered += reserved;
    this.#cause = cause;
    this.settle(reserved, reserved);
  }

  /** Says what a call has used of what was reserved for it. */
  settle(reserved: number, used: number): void {
    this.#reserved -= reserved;
    this.#used += used;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
