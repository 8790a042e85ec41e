import { isDeepStrictEqual } from 'node:util';
import type { FlagTypeItem } from '../../products/schema.ts';
import { FLAGS, type FlagItem, type RecordedFlag } from '../flags/schema.ts';
import { NEW_FLAG } from '../flags/set-flags.ts';
import { CHANGED_AGAIN, type LeftField, lastRun, type PastChange } from './past-values.ts';

/** What a change did to a flag of the bug. */
interface Step {
  by: PastChange;
  flag: RecordedFlag;
  type: FlagTypeItem | undefined;
}

/** Flags as they were before somebody changed them. */
interface PastFlags {
  flags: FlagItem[];
  left: LeftField[];
}

/**
 * The flags of a bug before somebody changed them, type by type. Flags of a type that others changed again since are left, as are those of
 * a type that is not available any more.
 *
 * @param changes oldest first, those of others, too
 * @param types that are available
 */
export function flagsBefore(
  current: readonly FlagItem[],
  changes: readonly PastChange[],
  isTheirs: (change: PastChange) => boolean,
  types: readonly FlagTypeItem[],
): PastFlags {
  const past: PastFlags = { flags: [...current], left: [] };
  const steps = changes.flatMap((by) =>
    by.flags
      .filter(({ attachment_id }) => attachment_id === undefined)
      .map((flag): Step => ({ by, flag, type: types.find(({ id }) => id === flag.type_id) })),
  );
  for (const [type, own] of Map.groupBy(steps, (step) => step.type)) {
    const { run, isLast } = lastRun(own, isTheirs);
    if (run.length === 0) continue;
    const recorded = run.map(({ flag }) => flag);
    const restored = type === undefined ? undefined : withoutChanges(past.flags, recorded, type.id);
    if (type === undefined) past.left.push({ field: FLAGS, why: 'a flag type is not available any more' });
    else if (isLast && restored !== undefined) past.flags = restored;
    else if (!isAsBefore(past.flags, recorded, type.id)) {
      past.left.push({ field: FLAGS, why: `${type.name} was ${CHANGED_AGAIN}` });
    }
  }
  return past;
}

/** The flags without these changes, from the last one on; undefined: they are not as the changes left them. */
function withoutChanges(
  current: readonly FlagItem[],
  changes: readonly RecordedFlag[],
  type_id: number,
): FlagItem[] | undefined {
  const flags = [...current];
  for (const { before, after } of changes.toReversed()) {
    const restored = before && { type_id, ...before };
    if (after === undefined) {
      if (restored !== undefined) flags.push({ ...NEW_FLAG, ...restored });
      continue;
    }
    const index = flags.findIndex((flag) => isInState(flag, type_id, after));
    const found = flags[index];
    if (found === undefined) return undefined;
    flags.splice(
      index,
      1,
      ...(restored === undefined ? [] : [{ ...found, ...restored, modification_date: '' }]),
    );
  }
  return flags;
}

/** Whether the flags of a type are as before these changes already. */
function isAsBefore(flags: readonly FlagItem[], changes: readonly RecordedFlag[], type_id: number): boolean {
  const made: State[] = [];
  const original: State[] = [];
  for (const { before, after } of changes) {
    const index = made.findIndex((state) => isDeepStrictEqual(state, before));
    if (index !== -1) made.splice(index, 1);
    else if (before !== undefined) original.push(before);
    if (after !== undefined) made.push(after);
  }
  const present = flags.filter((flag) => flag.type_id === type_id);
  return (
    present.length === original.length &&
    original.every((state) => present.some((flag) => isInState(flag, type_id, state)))
  );
}

type State = NonNullable<RecordedFlag['before']>;

const isInState = (flag: FlagItem, type_id: number, { status, setter, requestee }: State): boolean =>
  flag.type_id === type_id &&
  flag.status === status &&
  flag.requestee === requestee &&
  flag.setter === setter;
