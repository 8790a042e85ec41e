import type { FieldCondition } from './conditions.ts';

const DUPE_OF = 'dupe_of';

/** A search for the bugs that are duplicates. */
function duplicatesOf(isWanted: (original: number) => boolean) {
  const condition: FieldCondition = {
    ...{ field: DUPE_OF, operator: 'isnotempty', given: '', cost: 0 },
    test(searched) {
      const original = searched.value(DUPE_OF);
      return original === undefined ? undefined : isWanted(Number(original));
    },
  };
  return { condition, order: [], limit: undefined, offset: 0, needs: new Set([DUPE_OF]) };
}

/** The duplicates of bugs, as far as the caller of a search sees them, looked up when all conditions are known. */
export class Duplicates {
  #byOriginal: ReadonlyMap<number, readonly number[]> = new Map();
  #isWanted: ((original: number) => boolean) | undefined;

  /** Says that they are needed. @param originals of which bugs; absent: of all */
  require(originals?: ReadonlySet<number>): void {
    this.#isWanted = (original) => originals?.has(original) ?? original > 0;
  }

  /** Finds them, if they are needed. */
  async lookUp(
    find: (
      query: ReturnType<typeof duplicatesOf>,
    ) => Promise<{ bugs: readonly { id: number; dupe_of: number | null }[] }>,
  ): Promise<void> {
    const isWanted = this.#isWanted;
    if (isWanted === undefined) return;
    const { bugs } = await find(duplicatesOf(isWanted));
    const byOriginal = Map.groupBy(bugs, ({ dupe_of }) => dupe_of ?? 0);
    this.#byOriginal = new Map([...byOriginal].map(([id, all]) => [id, all.map((one) => one.id)]));
  }

  /** The ids of the duplicates of a bug. */
  of(bug: number): readonly number[] {
    return this.#byOriginal.get(bug) ?? [];
  }
}
