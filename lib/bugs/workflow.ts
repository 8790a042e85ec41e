import { errors } from '../errors.ts';
import type { BugItem } from './schema.ts';

/** The statuses of a bug in the order of their rank, with those that each may change to: Bugzilla's default workflow. */
const WORKFLOW = {
  UNCONFIRMED: { isOpen: true, next: ['CONFIRMED', 'IN_PROGRESS', 'RESOLVED'] },
  CONFIRMED: { isOpen: true, next: ['IN_PROGRESS', 'RESOLVED'] },
  IN_PROGRESS: { isOpen: true, next: ['CONFIRMED', 'RESOLVED'] },
  RESOLVED: { isOpen: false, next: ['UNCONFIRMED', 'CONFIRMED', 'VERIFIED'] },
  VERIFIED: { isOpen: false, next: ['UNCONFIRMED', 'CONFIRMED'] },
} as const satisfies Record<string, { isOpen: boolean; next: readonly string[] }>;

const byName: ReadonlyMap<string, { isOpen: boolean; next: readonly string[] }> = new Map(
  Object.entries(WORKFLOW),
);

export const UNCONFIRMED = 'UNCONFIRMED';
export const CONFIRMED = 'CONFIRMED';
const RESOLVED = 'RESOLVED';
const DUPLICATE = 'DUPLICATE';

/** All statuses, in the order of their rank. */
export const STATUSES: readonly string[] = [...byName.keys()];

/** The statuses that a new bug may have. */
export const INITIAL_STATUSES: readonly string[] = STATUSES.filter(isOpenStatus);

/**
 * Whether a bug of this status is open. A status that the workflow does not have, from a catalogue, is open unless
 * CLOSED.
 */
export function isOpenStatus(status: string): boolean {
  return byName.get(status)?.isOpen ?? status !== 'CLOSED';
}

/** The statuses that a bug may change to from this one, itself left out. */
export function nextStatuses(status: string): readonly string[] {
  return byName.get(status)?.next ?? STATUSES;
}

type BugState = Pick<BugItem, 'status' | 'resolution' | 'dupe_of' | 'is_confirmed'>;

/** What a request changes of the state of a bug, in the spelling of the legal values; undefined: unchanged. */
export interface StateChange {
  status: string | undefined;
  resolution: string | undefined;
  dupeOf: number | undefined;
}

/**
 * The state of a bug after a change.
 *
 * @param hasUnconfirmed whether bugs of the product may be unconfirmed
 */
export function changeState(
  bug: BugState,
  { status, resolution, dupeOf }: StateChange,
  hasUnconfirmed: boolean,
): BugState {
  const wantsOpen = status !== undefined && isOpenStatus(status);
  const isDuplicate =
    dupeOf !== undefined && !wantsOpen && (resolution === undefined || resolution === DUPLICATE);
  const next = status ?? (isDuplicate && bug.resolution !== DUPLICATE ? RESOLVED : bug.status);
  const allowed = nextStatuses(bug.status).filter((one) => hasUnconfirmed || one !== UNCONFIRMED);
  if (next !== bug.status && !allowed.includes(next)) {
    throw errors.statusChangeDenied(bug.status, next, allowed);
  }
  const isConfirmed = next === bug.status || !isOpenStatus(next) ? bug.is_confirmed : next !== UNCONFIRMED;
  const state = { status: next, is_confirmed: isConfirmed };
  if (isOpenStatus(next)) {
    if (!wantsOpen && resolution !== undefined && resolution !== '') throw errors.resolutionNotAllowed();
    return { ...state, resolution: '', dupe_of: null };
  }
  const reason = isDuplicate ? DUPLICATE : (resolution ?? bug.resolution);
  if (reason === '') throw errors.resolutionMissing();
  const original = reason === DUPLICATE ? ((isDuplicate ? dupeOf : undefined) ?? bug.dupe_of) : null;
  if (reason === DUPLICATE && original === null) throw errors.duplicateMissing();
  return { ...state, resolution: reason, dupe_of: original };
}
