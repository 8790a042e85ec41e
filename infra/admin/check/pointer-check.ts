import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../lib/dynamodb/client.ts';
import type { Key } from '../../../lib/dynamodb/keys.ts';
import type { Attributes, Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { type Found, type ItemKind, ofKind, readKind } from './item-kinds.ts';

/** A condition of a transaction with its values. */
interface Condition {
  condition: string;
  values?: Attributes;
}

/** Items that point to others, and what these say of them. Texts continue a sentence about the pointer. */
export interface PointerRow<T, P> {
  target: ItemKind<T>;
  pointer: ItemKind<P>;
  /** the key of what a pointer points to */
  targetOf(pointer: P, key: Key): Key;
  /** the pointers that a target must have; absent: it may have any */
  pointersOf?(target: T): Found<P>[];
  /** that the target is as it was read */
  unchanged(target: NoInfer<T>): Condition;
  /** how a pointer differs from what its target says, or that it is missing */
  different?(target: T, found: P | undefined, expected: P): string;
  /** identifies that in several scans, where the text has values that change */
  signature?(target: T, found: P | undefined, expected: Found<P>): string;
  /** whether a pointer that differs is replaced: it cannot belong to another target; absent: it is ambiguous */
  isReplaced?(target: T, found: P): boolean;
  /** that the target of a pointer does not exist, or has no such pointer */
  stray(pointer: P, target: T | undefined, key: Key): string;
  /** whether a pointer is a valid one that its target had before */
  isFormer?(target: T, key: Key, pointer: P): boolean;
  /** how stray pointers are removed; absent: they are ambiguous */
  removal?: {
    /** that the pointer is as it was read */
    unchanged?(pointer: NoInfer<P>): Condition;
    /** finds pointers that are kept though their target does not exist */
    readKept?(table: Table, pointers: P[]): Promise<(pointer: P) => boolean>;
  };
  /** further actions of every repair */
  repairsAlso?(): Action[];
}

/** Compares pointers with their targets in both directions. */
export function pointerCheck<T, P>(table: Table, row: PointerRow<T, P>): Check {
  return {
    async scan(items) {
      return (await Promise.all([differences(table, row, items), strays(table, row, items)])).flat();
    },
  };
}

/** The pointers that targets do not have as they should. */
async function differences<T, P>(table: Table, row: PointerRow<T, P>, items: Item[]): Promise<Finding[]> {
  const desired = ofKind(items, row.target).flatMap(({ key, content }) =>
    (row.pointersOf?.(content) ?? []).map((pointer) => ({ target: { key, content }, pointer })),
  );
  const keys = desired.map(({ pointer }) => pointer.key);
  const pointerAt = await readKind(table, keys, row.pointer);
  return desired.flatMap(({ target, pointer }): Finding[] => {
    const found = pointerAt(pointer.key);
    if (isDeepStrictEqual(found, pointer.content)) return [];
    const finding = {
      item: keyText(pointer.key),
      violation: row.different?.(target.content, found, pointer.content) ?? 'differs',
      ...(row.signature && { signature: row.signature(target.content, found, pointer) }),
    };
    const isRepairable = found === undefined || row.isReplaced?.(target.content, found);
    const repair: Action[] = [
      { put: { ...pointer.key, ...pointer.content }, ...(found === undefined && { condition: ABSENT }) },
      ...(row.repairsAlso?.() ?? []),
      { check: target.key, ...row.unchanged(target.content) },
    ];
    return [isRepairable ? { ...finding, repair } : finding];
  });
}

/** The pointers whose targets do not exist, or have no such pointer. */
async function strays<T, P>(table: Table, row: PointerRow<T, P>, items: Item[]): Promise<Finding[]> {
  const { removal, pointersOf } = row;
  const pointers = ofKind(items, row.pointer);
  const keys = pointers.map(({ key, content }) => row.targetOf(content, key));
  const targetAt = await readKind(table, keys, row.target);
  const hasPointer = (target: T, { pk, sk }: Key) =>
    pointersOf === undefined || pointersOf(target).some(({ key }) => key.pk === pk && key.sk === sk);
  const stray = pointers.flatMap(({ key, content }) => {
    const target = targetAt(row.targetOf(content, key));
    const isValid = target !== undefined && (hasPointer(target, key) || row.isFormer?.(target, key, content));
    return isValid ? [] : [{ key, content, target }];
  });
  const isKept = await removal?.readKept?.(
    table,
    stray.map(({ content }) => content),
  );
  return stray.map(({ key, content, target }) => {
    const finding = { item: keyText(key), violation: row.stray(content, target, key) };
    if (removal === undefined || (target === undefined && isKept?.(content))) return finding;
    const unchanged = target === undefined ? { condition: ABSENT } : row.unchanged(target);
    const repair: Action[] = [
      { remove: key, ...removal.unchanged?.(content) },
      ...(row.repairsAlso?.() ?? []),
      { check: row.targetOf(content, key), ...unchanged },
    ];
    return { ...finding, repair };
  });
}
