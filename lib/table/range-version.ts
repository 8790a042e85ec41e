import * as z from 'zod/mini';
import type { Key } from './keys.ts';
import type { Action } from './write.ts';

/**
 * The version of a range that processes remember. It is raised in the transaction of every change of the range, so that
 * one small read says whether what is remembered is current: that read is the linearization point.
 */
export const rangeVersion = z.object({
  version: z.int(),
  /** of the last change, in milliseconds since 1970 */
  changed_at: z.int(),
});
export type RangeVersion = z.infer<typeof rangeVersion>;

/** The transaction action that makes every process read the range again. */
export const raiseVersion = (key: Key, now: Date): Action => ({
  update: key,
  set: 'SET changed_at = :now ADD version :one',
  values: { ':now': now.getTime(), ':one': 1 },
});

/**
 * Longer than a transaction is repeated, and than a query may then miss items of it while their version is visible,
 * differences of clocks included.
 */
const SETTLED_MS = 30_000;

/** Whether a range that is read now, after its version, has everything of this version, so that it may be remembered. */
export const isSettled = ({ changed_at }: RangeVersion, now: Date): boolean =>
  changed_at < now.getTime() - SETTLED_MS;
