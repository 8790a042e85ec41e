import { compareNames, normalizeName } from '../../lib/text.ts';

/** An acknowledged comment. */
export interface WrittenComment {
  id: number;
  bug: number;
  text: string;
  /** the possible tags: more than one while the outcome of a change is unknown */
  tags: string[][];
}

/** An acknowledged product. */
export interface WrittenProduct {
  id: number;
  name: string;
  /** the possible descriptions: more than one while the outcome of a change is unknown */
  descriptions: string[];
}

/**
 * The acknowledged writes. A write without a response may have been executed or not. Nothing is changed concurrently,
 * so that the possible states are known.
 */
export class Journal {
  readonly comments: WrittenComment[] = [];
  readonly products: WrittenProduct[] = [];
  /** texts of comments without a response */
  readonly openTexts = new Set<string>();
  readonly #idleComments: WrittenComment[] = [];
  readonly #idleProducts: WrittenProduct[] = [];

  /** @returns a function to call with the id when the response arrives */
  beginComment(bug: number, text: string): (id: number) => void {
    this.openTexts.add(text);
    return (id) => {
      this.openTexts.delete(text);
      const comment = { id, bug, text, tags: [[]] };
      this.comments.push(comment);
      this.#idleComments.push(comment);
    };
  }

  /** Takes an own comment that is not being changed. */
  takeComment(pick: (count: number) => number): WrittenComment | undefined {
    return removeOne(this.#idleComments, pick);
  }

  /** @returns a function to call when the response arrives */
  beginTags(comment: WrittenComment, add: string[], remove: string[]): () => void {
    const before = comment.tags[0] ?? [];
    const after = changedTags(before, add, remove);
    comment.tags = [after, before];
    return () => {
      comment.tags = [after];
      this.#idleComments.push(comment);
    };
  }

  /** @returns a function to call with the id when the response arrives */
  beginProduct(name: string, description: string): (id: number) => void {
    return (id) => {
      const product = { id, name, descriptions: [description] };
      this.products.push(product);
      this.#idleProducts.push(product);
    };
  }

  /** Takes an own product that is not being changed. */
  takeProduct(pick: (count: number) => number): WrittenProduct | undefined {
    return removeOne(this.#idleProducts, pick);
  }

  /** @returns a function to call when the response arrives */
  beginDescription(product: WrittenProduct, description: string): () => void {
    product.descriptions = [description, ...product.descriptions];
    return () => {
      product.descriptions = [description];
      this.#idleProducts.push(product);
    };
  }
}

/** Removes an element from an unordered list. */
function removeOne<T>(all: T[], pick: (count: number) => number): T | undefined {
  const last = all.pop();
  if (last === undefined) return undefined;
  const place = pick(all.length + 1);
  const chosen = all[place];
  if (chosen === undefined) return last;
  all[place] = last;
  return chosen;
}

/** The tags of a comment after a change. functions/README.md 6.1. */
function changedTags(before: string[], add: string[], remove: string[]): string[] {
  const removed = new Set(remove.map(normalizeName));
  const all = new Map([...add, ...before].map((tag) => [normalizeName(tag), tag]));
  return [...all.values()].filter((tag) => !removed.has(normalizeName(tag))).sort(compareNames);
}
