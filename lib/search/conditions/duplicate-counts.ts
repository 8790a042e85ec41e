import type { FieldCondition } from './conditions.ts';

const DUPE_OF = 'dupe_of';

/** A search for the bugs that are duplicates. */
interface DuplicateQuery {
  condition: FieldCondition;
  order: [];
  limit: undefined;
  offset: number;
  needs: ReadonlySet<string>;
}

/** How many duplicates bugs have, as far as the caller of a search sees them, looked up when all conditions are known. */
export class DuplicateCounts {
  #counts: ReadonlyMap<number, number> = new Map();
  #isNeeded = false;

  /** Says that the search needs the numbers. */
  require(): void {
    this.#isNeeded = true;
  }

  /** Finds the duplicates, if a condition needs their numbers. */
  async lookUp(
    find: (query: DuplicateQuery) => Promise<{ bugs: readonly { dupe_of: number | null }[] }>,
  ): Promise<void> {
    if (!this.#isNeeded) return;
    const condition: FieldCondition = {
      ...{ field: DUPE_OF, operator: 'isnotempty', given: '', cost: 0 },
      test(searched) {
        const original = searched.value(DUPE_OF);
        return original === undefined ? undefined : Number(original) > 0;
      },
    };
    const query: DuplicateQuery = {
      condition,
      order: [],
      limit: undefined,
      offset: 0,
      needs: new Set([DUPE_OF]),
    };
    const { bugs } = await find(query);
    const byOriginal = Map.groupBy(bugs, ({ dupe_of }) => dupe_of ?? 0);
    this.#counts = new Map([...byOriginal].map(([id, all]) => [id, all.length]));
  }

  /** @param bug id */
  of(bug: number): number {
    return this.#counts.get(bug) ?? 0;
  }
}
