import type { Command } from 'commander';
import { compareNames } from '../../../lib/base/text.ts';
import { type AuditEntry, auditRepository, isAuditOf } from '../../../lib/people/audit/repository.ts';
import { type Context, print } from '../context.ts';
import { requireTime, withLimit } from '../option-values.ts';

const DEFAULT_LIMIT = 50;

interface AuditOptions {
  since?: string;
  limit: number;
  by?: string;
  of?: string;
}

/** `audit` */
export const auditCommand = (program: Command, open: () => Promise<Context>): Command =>
  withLimit(program.command('audit'), 'at most so many', DEFAULT_LIMIT)
    .description(
      'list the commands that wrote into the table, and what was administered over REST, in the last 400 days, newest first',
    )
    .option('--since <TIME>', 'such as 2026-01-02T03:04:05Z')
    .option('--by <TEXT>', 'only of those whose login, identity or machine has the text')
    .option('--of <TEXT>', 'only commands, and names of what was changed, that have the text')
    .action(async ({ since: given, limit: max, by, of }: AuditOptions) => {
      const since = given === undefined ? '' : requireTime(given);
      const context = await open();
      const entries = await auditRepository(context.table).list(since, max, (entry) =>
        isAuditOf(entry, by, of),
      );
      print(context, entries, entries.length === 0 ? ['No commands'] : entries.map(lineOf));
    });

function lineOf({ time, who, state, command, counts = {}, bugs = [], changes = [] }: AuditEntry): string {
  const counted = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  const changed = bugs.length === 0 ? [] : [`bugs ${bugs.join(', ')}`];
  const fields = changes.map(fieldsOf);
  return [time, state.padEnd(6), who, command, counted.join(', '), ...changed, ...fields]
    .join('  ')
    .trimEnd();
}

/** `dev: description "Old" → "New"` */
function fieldsOf({ name, fields }: NonNullable<AuditEntry['changes']>[number]): string {
  const differing = Object.entries(fields)
    .toSorted(([a], [b]) => compareNames(a, b))
    .map(([field, { removed, added }]) => `${field} ${JSON.stringify(removed)} → ${JSON.stringify(added)}`);
  return differing.length === 0 ? name : `${name}: ${differing.join(', ')}`;
}
