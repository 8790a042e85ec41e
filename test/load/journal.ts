import { compareNames, normalizeName } from '../../lib/text.ts';

/** A comment whose id was answered. */
export interface WrittenComment {
  id: number;
  bug: number;
  text: string;
  /** as they must be; one of these, while it is not known whether a change was made */
  tags: string[][];
}

/** A product whose id was answered. */
export interface WrittenProduct {
  id: number;
  name: string;
  /** as it must be; one of these, while it is not known whether a change was made */
  descriptions: string[];
}

/**
 * What the service has acknowledged. A change whose answer did not come may have been made or not. Nothing is
 * changed twice at the same time, so what must be there is known.
 */
export class Journal {
  readonly comments: WrittenComment[] = [];
  readonly products: WrittenProduct[] = [];
  /** of comments whose answer has not come */
  readonly openTexts = new Set<string>();
  readonly #idleComments: WrittenComment[] = [];
  readonly #idleProducts: WrittenProduct[] = [];

  /** @returns what to call with the id once it is answered */
  beginComment(bug: number, text: string): (id: number) => void {
    this.openTexts.add(text);
    return (id) => {
      this.openTexts.delete(text);
      const comment = { id, bug, text, tags: [[]] };
      this.comments.push(comment);
      this.#idleComments.push(comment);
    };
  }

  /** A comment of ours that nobody is changing; none: undefined. */
  takeComment(pick: (count: number) => number): WrittenComment | undefined {
    return takenFrom(this.#idleComments, pick);
  }

  /** @returns what to call when it is answered */
  beginTags(comment: WrittenComment, add: string[], remove: string[]): () => void {
    const before = comment.tags[0] ?? [];
    const after = changedTags(before, add, remove);
    comment.tags = [after, before];
    return () => {
      comment.tags = [after];
      this.#idleComments.push(comment);
    };
  }

  /** @returns what to call with the id once it is answered */
  beginProduct(name: string, description: string): (id: number) => void {
    return (id) => {
      const product = { id, name, descriptions: [description] };
      this.products.push(product);
      this.#idleProducts.push(product);
    };
  }

  /** A product of ours that nobody is changing; none: undefined. */
  takeProduct(pick: (count: number) => number): WrittenProduct | undefined {
    return takenFrom(this.#idleProducts, pick);
  }

  /** @returns what to call when it is answered */
  beginDescription(product: WrittenProduct, description: string): () => void {
    product.descriptions = [description, ...product.descriptions];
    return () => {
      product.descriptions = [description];
      this.#idleProducts.push(product);
    };
  }
}

/** Takes one out of a list in which the order does not matter. */
function takenFrom<T>(all: T[], pick: (count: number) => number): T | undefined {
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
