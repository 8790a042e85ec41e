import { type AuditEntry, auditRepository } from '../../lib/people/audit/repository.ts';
import type { Table } from '../../lib/table/client.ts';

/** A change as a line: `group night: description "Night" → "Late"`, a value that was not there before as `description "Night"`. */
const lineOf = ({ kind, name, fields }: NonNullable<AuditEntry['changes']>[number]): string => {
  const values = Object.entries(fields).map(([field, { removed, added }]) =>
    [field, ...(removed === '' ? [] : [JSON.stringify(removed), '→']), JSON.stringify(added)].join(' '),
  );
  return `${kind} ${name}: ${values.toSorted().join(', ')}`;
};

/**
 * The entries of the audit log that name something, in the order of their changes: who ran which command, with its outcome
 * unless it is done, and a line for each change.
 *
 * @param name of what was changed; absent: anything
 */
export async function audited(table: Table, name?: string): Promise<string[][]> {
  const entries = await auditRepository(table).list('', 100);
  return entries
    .filter(({ changes = [] }) => name === undefined || changes.some((change) => change.name === name))
    .map(({ who, command, state, changes = [] }) => [
      [who, command, ...(state === 'done' ? [] : [state])].join(' '),
      ...changes.map(lineOf),
    ])
    .sort((a, b) => (a.join() < b.join() ? -1 : 1));
}
