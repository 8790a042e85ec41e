import { type Command, InvalidArgumentError } from 'commander';
import { compareNames } from '../../../lib/base/text.ts';
import { parseTime } from '../../../lib/base/time.ts';
import { type AuditEntry, auditRepository, isAuditOf } from '../../../lib/people/audit/repository.ts';
import { type Context, print, UsageError } from '../context.ts';

const DEFAULT_LIMIT = 50;
const MAX_LISTED_ENTRIES = 10_000;

interface AuditOptions {
  since?: string;
  limit: number;
  by?: string;
  of?: string;
}

/** `audit` */
export const auditCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('audit')
    .description(
      'list the commands that wrote into the table, and what was administered over REST, in the last 400 days, newest first',
    )
    .option('--since <TIME>', 'such as 2026-01-02T03:04:05Z')
    .option('--by <TEXT>', 'only of those whose login, identity or machine has the text')
    .option('--of <TEXT>', 'only commands, and names of what was changed, that have the text')
    .option('--limit <N>', `at most so many, up to ${MAX_LISTED_ENTRIES}`, limit, DEFAULT_LIMIT)
    .action(async ({ since: given, limit: max, by, of }: AuditOptions) => {
      const since = given === undefined ? '' : parseTime(given);
      if (since === undefined) throw new UsageError(`'${given}' is no time, such as 2026-01-02T03:04:05Z`);
      const context = await open();
      const entries = await auditRepository(context.table).list(since, max, (entry) =>
        isAuditOf(entry, by, of),
      );
      print(context, entries, entries.length === 0 ? ['No commands'] : entries.map(lineOf));
    });

function limit(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,5}$/.test(text) && number <= MAX_LISTED_ENTRIES) return number;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_LISTED_ENTRIES}.`);
}

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
