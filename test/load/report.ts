import { printTable } from '../bench/print.ts';

const SHARES = { p50: 0.5, p90: 0.9, p99: 0.99, max: 1 };

/** Latencies of requests in milliseconds, by operation. */
export class Latencies {
  #times = new Map<string, number[]>();

  add(operation: string, milliseconds: number): void {
    for (const name of ['all', operation]) {
      const times = this.#times.get(name) ?? [];
      times.push(milliseconds);
      this.#times.set(name, times);
    }
  }

  /**
   * Prints the latencies since the last call.
   *
   * @returns the number of requests
   */
  take(title: string, seconds: number): number {
    const all = [...this.#times].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#times = new Map();
    const requests = all.find(([name]) => name === 'all')?.[1].length ?? 0;
    printTable(
      `${title}, ${Math.round(requests / seconds)} requests/s (milliseconds:)`,
      all.map(([operation, times]) => ({ operation, requests: times.length, ...percentiles(times) })),
    );
    return requests;
  }
}

function percentiles(times: number[]): Record<string, string> {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  return Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [name, at(share).toFixed(1)]));
}
