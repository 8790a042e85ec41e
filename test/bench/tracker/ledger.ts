import type { Key } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';

/** An item with its key, as it is written. */
export type TableItem = Key & Item;

/** What a growing tracker has still to write. */
export class Ledger {
  /** how many items there are by now, written or not */
  size = 0;
  #final: TableItem[] = [];
  readonly #changing = new Set<TableItem>();

  /** Notes new items that never change. */
  write(...items: TableItem[]): void {
    this.#final.push(...items);
    this.size += items.length;
  }

  /** Notes a new item that may change: it is written as it is when the changing ones are taken. */
  writeChanging(item: TableItem): void {
    this.#changing.add(item);
    this.size += 1;
  }

  /** Notes that an item has changed since it was noted. */
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
