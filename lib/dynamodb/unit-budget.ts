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

  /** Counts units that were used. @throws the error of the budget where they are more than it has */
  count(units: number): void {
    this.#used += units;
    if (this.#used > this.#max) throw this.#exceeded();
  }

  /**
   * Reserves what a call may take. Where that does not fit, it waits for the calls that run; alone, a call may take more than
   * is left, so that the budget is exceeded by one call at most.
   *
   * @throws the error of the budget where nothing is left
   */
  async reserve(units: number): Promise<void> {
    for (;;) {
      const left = this.#max - this.#used;
      if (left < 0 || (left === 0 && units > 0)) throw this.#exceeded();
      if (this.#reserved === 0 || this.#reserved + units <= left) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#reserved += units;
  }

  /** Says what a call has used of what was reserved for it: without a response all of it. */
  settle(reserved: number, used: number): void {
    this.#reserved -= reserved;
    this.#used += used;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
