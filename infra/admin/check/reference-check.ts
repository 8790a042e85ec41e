import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../../../lib/base/collections.ts';
import type { Table } from '../../../lib/table/client.ts';
import { type Attributes, type Key, keyText } from '../../../lib/table/keys.ts';
import { ABSENT, type Action } from '../../../lib/table/write.ts';
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

/** A condition of a transaction with its values. */
interface Condition {
  condition: string;
  values?: Attributes;
}

/** Items that point to others, and what these say of them. Texts continue a sentence about the pointer. */
interface PointerRow<T, P> {
  target: ItemKind<T>;
  pointer: ItemKind<P>;
  /** the key of what a pointer points to */
  targetOf(pointer: P, key: Key): Key;
  /** the pointers that a target must have; absent: it may have any */
  pointersOf?(target: T): Found<P>[];
  /** that the target is as it was read */
  unchanged(target: NoInfer<T>): Condition;
  /** whether a pointer says what it should; absent: only where it is equal */
  isSame?(found: P, expected: NoInfer<P>): boolean;
  /** that a pointer is missing */
  missing?(target: T, expected: P): string;
  /** how a pointer differs from what its target says */
  different?(target: T, found: P, expected: P): string;
  /** identifies that in several scans, where the text has values that change */
  signature?(target: T, found: P | undefined, expected: Found<P>): string;
  /** whether a pointer that differs is replaced: it cannot belong to another target; absent: it is ambiguous */
  isReplaced?(target: T, found: P): boolean;
  /** how a target gets its pointer; absent: the pointer is written */
  repairOf?(target: T): Repair;
  /** that the target of a pointer does not exist, or has no such pointer */
  stray(pointer: P, target: T | undefined, key: Key): string;
  /** whether a pointer is a valid one that its target had before */
  isFormer?(target: T, key: Key, pointer: P): boolean;
  /** how stray pointers are removed; absent: they are ambiguous */
  removal?: {
    /** that the pointer is as it was read */
    unchanged?(pointer: NoInfer<P>): Condition;
    /** whether a pointer is kept though its target does not exist */
    isKept?(pointer: P, table: Table, key: Key): boolean | Promise<boolean>;
  };
  /** further actions of every repair */
  repairsAlso?(of: NoInfer<T | P>, now: Date): Action[];
}

/** Compares pointers with their targets in both directions. */
export function pointers<T, P>(row: PointerRow<T, P>): ((table: Table) => Check)[] {
  const { removal, pointersOf = () => [], repairsAlso = () => [] } = row;
  const hasPointer = (target: T, key: Key) =>
    row.pointersOf === undefined || pointersOf(target).some((own) => keyText(own.key) === keyText(key));
  return [
    references({
      from: row.target,
      to: row.pointer,
      references: pointersOf,
      problems({ key, content: target }, expected, found, table) {
        const isSame = row.isSame ?? isDeepStrictEqual;
        if (found !== undefined && isSame(found, expected.content)) return [];
        const problem = {
          item: keyText(expected.key),
          violation:
            (found === undefined
              ? row.missing?.(target, expected.content)
              : row.different?.(target, found, expected.content)) ?? 'differs',
          ...(row.signature && { signature: row.signature(target, found, expected) }),
        };
        const own = row.repairOf?.(target);
        if (own !== undefined) return [{ ...problem, repair: own }];
        const isRepairable = found === undefined || row.isReplaced?.(target, found);
        const put = { put: { ...expected.key, ...expected.content } };
        const repair: Action[] = [
          found === undefined ? { ...put, condition: ABSENT } : put,
          ...repairsAlso(target, table.now()),
          { check: key, ...row.unchanged(target) },
        ];
        return [isRepairable ? { ...problem, repair } : problem];
      },
    }),
    references({
      from: row.pointer,
      to: row.target,
      references: (pointer, key) => [{ key: row.targetOf(pointer, key), content: undefined }],
      async problems({ key, content: pointer }, { key: check }, target, table) {
        if (target !== undefined && (hasPointer(target, key) || row.isFormer?.(target, key, pointer)))
          return [];
        const violation = row.stray(pointer, target, key);
        const isKept = target === undefined && (await removal?.isKept?.(pointer, table, key));
        if (removal === undefined || isKept) return [violation];
        const unchanged = target === undefined ? { condition: ABSENT } : row.unchanged(target);
        const remove = { remove: key, ...removal.unchanged?.(pointer) };
        return [
          { violation, repair: [remove, ...repairsAlso(pointer, table.now()), { check, ...unchanged }] },
        ];
      },
    }),
  ];
}
