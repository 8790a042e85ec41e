import * as z from 'zod/mini';

/** A status that may follow another one. */
const transition = z.object({ name: z.string(), comment_required: z._default(z.boolean(), false) });

/** A status of bugs, with those that it may change to; the one with the empty name has those of new bugs. */
export const statusRow = z.object({
  name: z.string(),
  is_open: z.boolean(),
  /** whether bugs may get it; those that have it keep it */
  is_active: z._default(z.boolean(), true),
  can_change_to: z.array(transition),
});
export type StatusRow = z.infer<typeof statusRow>;

export const UNCONFIRMED = 'UNCONFIRMED';
const RESOLVED = 'RESOLVED';

const row = (name: string, is_open: boolean, ...next: string[]): StatusRow => ({
  ...{ name, is_open, is_active: true },
  can_change_to: next.map((to) => ({ name: to, comment_required: false })),
});

/** Bugzilla's default workflow. */
export const DEFAULT_STATUSES: readonly StatusRow[] = [
  row('', true, UNCONFIRMED, 'CONFIRMED', 'IN_PROGRESS'),
  row(UNCONFIRMED, true, 'CONFIRMED', 'IN_PROGRESS', RESOLVED),
  row('CONFIRMED', true, 'IN_PROGRESS', RESOLVED),
  row('IN_PROGRESS', true, 'CONFIRMED', RESOLVED),
  row(RESOLVED, false, UNCONFIRMED, 'CONFIRMED', 'VERIFIED'),
  row('VERIFIED', false, UNCONFIRMED, 'CONFIRMED'),
];

/** A status that a bug may change to. */
export type Transition = StatusRow['can_change_to'][number];

/** The workflow of these statuses, as a catalogue gives them. */
export function workflowOf(rows: readonly StatusRow[]) {
  const statuses = rows.filter(({ name }) => name !== '');
  const byName = new Map(rows.map((one) => [one.name, one]));
  const active = ({ name }: Pick<Transition, 'name'>) => byName.get(name)?.is_active === true;
  const namesOf = (some: readonly StatusRow[]) => some.map(({ name }) => name);
  const closed = namesOf(statuses.filter(({ is_open }) => !is_open));
  return {
    /** in the order of their rank, inactive ones included */
    statuses,
    /** their names */
    names: namesOf(statuses),
    open: namesOf(statuses.filter(({ is_open }) => is_open)),
    closed,
    /** what new bugs may have */
    initial: byName.get('')?.can_change_to.filter(active) ?? [],

    /** The status of bugs that become duplicates. @param preferred where it is a closed one that bugs may get */
    duplicateStatus: (preferred: string): string =>
      [preferred, RESOLVED].find((name) => closed.includes(name) && active({ name })) ??
      closed.find((name) => active({ name })) ??
      RESOLVED,

    /** Whether a bug of this status is open. One that the workflow does not have, from a catalogue, is open unless CLOSED. */
    isOpen: (status: string): boolean => byName.get(status)?.is_open ?? status !== 'CLOSED',

    /** The active statuses that a bug may change to from this one, itself left out; all from an unknown one. */
    next(status: string): Transition[] {
      const all = statuses.map(({ name }) => ({ name, comment_required: false }));
      return (byName.get(status)?.can_change_to ?? all).filter((one) => one.name !== status && active(one));
    },
  };
}
export type Workflow = Readonly<ReturnType<typeof workflowOf>>;

export const DEFAULT_WORKFLOW = workflowOf(DEFAULT_STATUSES);
