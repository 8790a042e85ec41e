import { type CounterName, counterKey } from '../../../lib/dynamodb/keys.ts';
import type { TableItem } from './ledger.ts';

/** Allocates ids in ascending order. */
export class Ids {
  readonly #last = new Map<CounterName, number>();

  take(what: CounterName): number {
    const id = (this.#last.get(what) ?? 0) + 1;
    this.#last.set(what, id);
    return id;
  }

  /** Skips the ids up to `id`, which are in use. */
  movePast(what: CounterName, id: number): void {
    this.#last.set(what, Math.max(id, this.#last.get(what) ?? 0));
  }

  /** The counter items, so that the service does not allocate these ids again. */
  *counters(): Generator<TableItem> {
    for (const [what, last] of this.#last) yield { ...counterKey(what), last };
  }
}
