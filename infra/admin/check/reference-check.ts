import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent, sortedNumbers } from '../../../lib/base/collections.ts';
import type { Table } from '../../../lib/table/client.ts';
import { type Key, keyText } from '../../../lib/table/keys.ts';
import { anyItem, readFirst } from '../../../lib/table/read.ts';
import { type Action, differingAttributes, setAction } from '../../../lib/table/write.ts';
import { type Check, findingsOf, type Problem } from './finding.ts';
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
  /** whether a pointer is removed when nothing is left in the partition of its target; else it may be needed to restore it */
  isRemovable?: boolean;
  /** further actions of every repair */
  repairsAlso?(of: T | P, now: Date): Action[];
}

/**
 * Compares pointers with their targets in both directions. Pointers follow from their targets: one that is missing or differs is
 * written, unless another target has it, too; one that its target does not have is removed.
 *
 * @returns the check that each target has its pointers, and the check that each pointer has its target
 */
export function pointers<T, P extends object>(
  target: ItemKind<T>,
  pointer: ItemKind<P>,
  row: PointerRow<NoInfer<T>, NoInfer<P>>,
): [missing: (table: Table) => Check, stray: (table: Table) => Check] {
  const { repairsAlso = () => [] } = row;
  const hasPointer = (of: T | undefined, key: Key): boolean =>
    of !== undefined && row.pointersOf(of).some((one) => keyText(one.key) === keyText(key));
  return [
    references({
      from: target,
      to: pointer,
      references: row.pointersOf,
      async problems({ key, content }, expected, found, table) {
        if (isDeepStrictEqual(found, expected.content)) return [];
        const other = found === undefined ? key : row.targetOf(found, expected.key);
        const isOther = keyText(other) !== keyText(key);
        const isClaimed =
          isOther && hasPointer((await readKind(table, [other], target))(other), expected.key);
        // Their values, among them names of people, are in no report.
        const differing = found && Object.keys(differingAttributes(found, expected.content)).join(', ');
        const problem = {
          item: keyText(expected.key),
          violation: isClaimed
            ? `is of ${keyText(other)}, but ${keyText(key)} should have it, too`
            : differing === undefined
              ? `is missing; ${keyText(key)} should have it`
              : `differs from ${keyText(key)} in ${differing}`,
          ...(found && { signature: JSON.stringify([found, expected.content]) }),
        };
        if (isClaimed) return [problem];
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
        if (hasPointer(found, key)) return [];
        const signature = `points to ${keyText(check)}`;
        const own = found && row.pointersOf(found).map((one) => keyText(one.key));
        const instead = own && `has ${own.join(', ') || 'none'}`;
        const problem = { violation: `${signature}, which ${instead ?? 'does not exist'}`, signature };
        const isRemoved =
          own !== undefined ||
          (row.isRemovable && (await readFirst(table, { pk: check.pk }, anyItem, 1)).length === 0);
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
 * Compares lists that say who, of the users who have items of their own, has something in them, with these items: a list
 * follows from them. Memory holds the users of all lists.
 *
 * @param has what the users of a list do, after their ids
 * @param listsOf the keys of the lists that have a user, with what they have beside the users
 */
export const userLists =
  <T extends { user_id: number }, L extends { user_ids: readonly number[]; revision: number }>(
    own: ItemKind<T>,
    list: ItemKind<L>,
    has: string,
    listsOf: (own: NoInfer<T>) => Found<Omit<NoInfer<L>, 'user_ids' | 'revision'>>[],
  ) =>
  (): Check => {
    const lists = new Map<string, { key: Key; content: object; users: number[]; known?: L }>();
    const listAt = (key: Key, content: object) => {
      const one = lists.get(keyText(key)) ?? { key, content, users: [] };
      lists.set(keyText(key), one);
      return one;
    };
    return {
      async scan(items) {
        for (const { content: of } of ofKind(items, own)) {
          for (const { key, content } of listsOf(of)) listAt(key, content).users.push(of.user_id);
        }
        for (const { key, content } of ofKind(items, list)) listAt(key, {}).known = content;
        return [];
      },
      async finish() {
        return [...lists.values()].flatMap(({ key, content, users, known }) => {
          const user_ids = sortedNumbers(users);
          if (isDeepStrictEqual(sortedNumbers(known?.user_ids ?? []), user_ids)) return [];
          const violation = `lists the users ${known?.user_ids.join(', ') || 'none'}, but ${user_ids.join(', ') || 'none'} ${has}`;
          const written = { ...content, user_ids, revision: (known?.revision ?? 0) + 1 };
          return findingsOf(key, [{ violation, repair: [setAction(key, written, list.unchanged(known))] }]);
        });
      },
    };
  };
