/** Latencies of requests in milliseconds. */
export class Latencies {
  readonly #times: number[] = [];

  add(milliseconds: number): void {
    this.#times.push(milliseconds);
  }

  get count(): number {
    return this.#times.length;
  }

  /** @param shares such as 0.5 for the median */
  percentiles(shares: number[]): number[] {
    const sorted = this.#times.toSorted((a, b) => a - b);
    return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  }
}
