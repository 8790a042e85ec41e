import type { Key } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';

/** An item with its key. */
export type TableItem = Key & Item;

/** The items that a growing tracker has yet to write. */
export class Ledger {
  /** number of items, written or not */
  size = 0;
  #final: TableItem[] = [];
  readonly #changing = new Set<TableItem>();

  /** Adds new immutable items. */
  write(...items: TableItem[]): void {
    this.#final.push(...items);
    this.size += items.length;
  }

  /** Adds a new mutable item, which is written in its state at that time. */
  writeChanging(item: TableItem): void {
    this.#changing.add(item);
    this.size += 1;
  }

  /** Marks an item as changed. */
  rewrite(item: TableItem): void {
    this.#changing.add(item);
  }

  takeFinal(): TableItem[] {
    const taken = this.#final;
    this.#final = [];
    return taken;
  }

  takeChanging(): TableItem[] {
    const taken = [...this.#changing];
    this.#changing.clear();
    return taken;
  }
}
