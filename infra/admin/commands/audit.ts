import { type Command, InvalidArgumentError } from 'commander';
import { parseTime } from '../../../lib/time.ts';
import { type AuditEntry, auditRepository } from '../audit/repository.ts';
import { type Context, print, UsageError } from '../context.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/** `audit` */
export const auditCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('audit')
    .description('list the commands that wrote into the table in the last 400 days, newest first')
    .option('--since <TIME>', 'such as 2026-01-02T03:04:05Z')
    .option('--limit <N>', `at most so many, up to ${MAX_LIMIT}`, limit, DEFAULT_LIMIT)
    .action(async ({ since: given, limit: max }: { since?: string; limit: number }) => {
      const since = given === undefined ? '' : parseTime(given);
      if (since === undefined) throw new UsageError(`'${given}' is no time, such as 2026-01-02T03:04:05Z`);
      const context = await open();
      const entries = await auditRepository(context.table).list(since, max);
      print(context, entries, entries.length === 0 ? ['No commands'] : entries.map(lineOf));
    });

function limit(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,5}$/.test(text) && number <= MAX_LIMIT) return number;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_LIMIT}.`);
}

function lineOf({ time, who, state, command, counts = {}, bugs = [] }: AuditEntry): string {
  const counted = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  const changed = bugs.length === 0 ? [] : [`bugs ${bugs.join(', ')}`];
  return [time, state.padEnd(6), who, command, counted.join(', '), ...changed].join('  ').trimEnd();
}
