import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../../../lib/base/collections.ts';
import type { Table } from '../../../lib/table/client.ts';
import { type Key, keyText } from '../../../lib/table/keys.ts';
import type { Action } from '../../../lib/table/write.ts';
import { type Check, findingsOf, type Problem, type Repair } from './finding.ts';
import { type Found, type ItemKind, ofKind, readKind } from './item-kinds.ts';

/** Items that refer to others. */
interface ReferenceRow<T, U, E> {
  from: ItemKind<T>;
  to: ItemKind<U>;
  /** the items that one refers to, with what it says of each */
  references(content: T, key: Key): Found<E>[];
  /** @param target undefined: it does not exist */
  problems(
    from: Found<T>,
    reference: Found<E>,
    target: U | undefined,
    table: Table,
  ): Problem[] | Promise<Problem[]>;
}

/** Compares items with those that they refer to. */
export const references =
  <T, U, E>(row: ReferenceRow<T, U, E>) =>
  (table: Table): Check => ({
    async scan(items) {
      const pairs = ofKind(items, row.from).flatMap((from) =>
        row.references(from.content, from.key).map((reference) => ({ from, reference })),
      );
      const keys = pairs.map(({ reference }) => reference.key);
      const targetAt = await readKind(table, keys, row.to);
      const findings = await mapConcurrent(pairs, async ({ from, reference }) => {
        const problems = await row.problems(from, reference, targetAt(reference.key), table);
        return findingsOf(from.key, problems);
      });
      return findings.flat();
    },
  });

/** Items that point to others, and what these say of them. */
interface PointerRow<T, P> {
  /** the key of what a pointer points to */
  targetOf(pointer: P, key: Key): Key;
  /** the pointers that a target must have */
  pointersOf(target: T): Found<P>[];
  /** whether a pointer says what it should; absent: only where it is equal */
  isSame?(found: P, expected: P): boolean;
  /** identifies a missing or differing pointer in several scans, where the text has values that change */
  signature?(target: T): string;
  /** whether a pointer that differs is replaced: it cannot belong to another target; absent: it is ambiguous */
  isReplaced?(target: T, found: P): boolean;
  /** how a target gets its pointer; absent: the pointer is written */
  repairOf?(target: T): Repair;
  /** whether a pointer is a valid one that its target had before */
  isFormer?(pointer: P): boolean;
  /** whether a stray pointer is removed though its target does not exist; absent: stray pointers are ambiguous */
  isRemovable?(pointer: P, target: Key, table: Table): boolean | Promise<boolean>;
  /** further actions of every repair */
  repairsAlso?(of: T | P, now: Date): Action[];
}

/**
 * Compares pointers with their targets in both directions.
 *
 * @returns the check that each target has its pointers, and the check that each pointer has its target
 */
export function pointers<T, P extends object>(
  target: ItemKind<T>,
  pointer: ItemKind<P>,
  row: PointerRow<NoInfer<T>, NoInfer<P>>,
): [missing: (table: Table) => Check, stray: (table: Table) => Check] {
  const { isSame = isDeepStrictEqual, repairsAlso = () => [] } = row;
  return [
    references({
      from: target,
      to: pointer,
      references: row.pointersOf,
      problems({ key, content }, expected, found, table) {
        if (found !== undefined && isSame(found, expected.content)) return [];
        const isReplaced = found === undefined || row.isReplaced?.(content, found);
        const signature = row.signature?.(content) ?? (found && JSON.stringify([found, expected.content]));
        const problem = {
          item: keyText(expected.key),
          violation:
            found === undefined
              ? `is missing; ${keyText(key)} should have it`
              : differenceOf(found, expected.content, keyText(key), isReplaced || row.repairOf !== undefined),
          ...(signature !== undefined && { signature }),
        };
        if (row.repairOf !== undefined) return [{ ...problem, repair: row.repairOf(content) }];
        if (!isReplaced) return [problem];
        const repair: Action[] = [
          { put: { ...expected.key, ...expected.content }, ...pointer.unchanged(found) },
          ...repairsAlso(content, table.now()),
          { check: key, ...target.unchanged(content) },
        ];
        return [{ ...problem, repair }];
      },
    }),
    references({
      from: pointer,
      to: target,
      references: (content, key) => [{ key: row.targetOf(content, key), content: undefined }],
      async problems({ key, content }, { key: check }, found, table) {
        const own = found && row.pointersOf(found).map((one) => keyText(one.key));
        if (own?.includes(keyText(key)) || (own && row.isFormer?.(content))) return [];
        const signature = `points to ${keyText(check)}`;
        const instead = own && `has ${own.join(', ') || 'none'}`;
        const problem = { violation: `${signature}, which ${instead ?? 'does not exist'}`, signature };
        const isRemoved = row.isRemovable && (own || (await row.isRemovable(content, check, table)));
        if (!isRemoved) return [problem];
        const repair: Action[] = [
          { remove: key, ...pointer.unchanged(content) },
          ...repairsAlso(content, table.now()),
          { check, ...target.unchanged(found) },
        ];
        return [{ ...problem, repair }];
      },
    }),
  ];
}

/**
 * How a pointer differs from what its target says: where that is ambiguous with the values; those that are only replaced, among
 * them names of people, are in no report.
 */
function differenceOf(found: object, expected: object, target: string, isRepaired: boolean): string {
  const [here, there] = [new Map(Object.entries(found)), new Map(Object.entries(expected))];
  const names = [...new Set([...here.keys(), ...there.keys()])].filter(
    (name) => !isDeepStrictEqual(here.get(name), there.get(name)),
  );
  if (isRepaired) return `differs from ${target} in ${names.join(', ')}`;
  const values = names.map((name) => `${name} ${JSON.stringify(here.get(name))}`);
  return `has ${values.join(', ')}, other than ${target}`;
}
