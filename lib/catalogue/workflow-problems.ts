import { type StatusRow, UNCONFIRMED, workflowOf } from '../bugs/workflow.ts';
import type { Problem } from './schema.ts';

/**
 * Why bugs could not have these statuses: one of them has to be open, one closed; new bugs are open; what follows a status
 * exists; no status is missing that bugs have.
 *
 * @param used statuses that bugs of the table have
 */
export function workflowProblems(rows: readonly StatusRow[], used: Iterable<string>): Problem[] {
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
    ...[...used]
      .filter((status) => !known.has(status))
      .map((status) => problem(`bugs have the status '${status}', which is missing`)),
  ];
}
