import { type CounterName, counterKey } from '../../../lib/dynamodb/keys.ts';
import type { TableItem } from './ledger.ts';

/** The ids that a tracker gives, each one higher than the last. */
export class Ids {
  readonly #last = new Map<CounterName, number>();

  take(what: CounterName): number {
    const id = (this.#last.get(what) ?? 0) + 1;
    this.#last.set(what, id);
    return id;
  }

  /** Leaves out the ids up to `id`: others have them. */
  movePast(what: CounterName, id: number): void {
    this.#last.set(what, Math.max(id, this.#last.get(what) ?? 0));
  }

  /** The items that keep the service from giving these ids again. */
  *counters(): Generator<TableItem> {
    for (const [what, last] of this.#last) yield { ...counterKey(what), last };
  }
}
