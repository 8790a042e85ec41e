import { type StatusRow, UNCONFIRMED, type Workflow, workflowOf } from '../bugs/workflow.ts';
import type { Problem } from './schema.ts';

/** A status that bugs of the table have, and whether these have a resolution. */
export interface UsedState {
  status: string;
  isResolved: boolean;
}

/**
 * Why bugs could not have these statuses: one of them has to be open, one closed; new bugs are open; what follows a status
 * exists; no status is missing that bugs have, or becomes open or closed: open bugs have no resolution, closed ones have one.
 *
 * @param current the statuses of the table
 */
export function workflowProblems(
  rows: readonly StatusRow[],
  current: Workflow,
  used: readonly UsedState[],
): Problem[] {
  const { names, open, closed, initial, isOpen } = workflowOf(rows);
  const known = new Set(names);
  const problem = (message: string, ...path: PropertyKey[]): Problem => ({
    path: ['field_values', 'bug_status', ...path],
    message,
  });
  const transitions = rows.flatMap(({ name, can_change_to }, at) =>
    can_change_to.flatMap((to, index): Problem[] => {
      if (!known.has(to.name)) {
        return [problem(`there is no status '${to.name}'`, at, 'can_change_to', index, 'name')];
      }
      const isClosedNew = name === '' && !isOpen(to.name);
      return isClosedNew
        ? [problem(`new bugs are open: not '${to.name}'`, at, 'can_change_to', index, 'name')]
        : [];
    }),
  );
  return [
    ...transitions,
    ...(open.length === 0 ? [problem('one status has to be open')] : []),
    ...(closed.length === 0 ? [problem('one status has to be closed')] : []),
    ...(closed.includes(UNCONFIRMED) ? [problem(`'${UNCONFIRMED}' has to be open`)] : []),
    // Products may have no unconfirmed bugs.
    ...(initial.every(({ name }) => name === UNCONFIRMED)
      ? [problem(`the status '' has to name an active one beside ${UNCONFIRMED}, for new bugs`)]
      : []),
    ...[...new Set(used.map(({ status }) => status))]
      .filter((status) => !known.has(status))
      .map((status) => problem(`bugs have the status '${status}', which is missing`)),
    ...used
      .filter(
        ({ status, isResolved }) =>
          known.has(status) &&
          isOpen(status) === isResolved &&
          !(current.names.includes(status) && current.isOpen(status) === isOpen(status)),
      )
      .map(({ status, isResolved }) =>
        problem(
          `bugs have the status '${status}' ${isResolved ? 'with' : 'without'} a resolution: it cannot be ${isResolved ? 'open' : 'closed'}`,
        ),
      ),
  ];
}
