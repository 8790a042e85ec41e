import type { Command } from 'commander';
import { withIds } from '../../../lib/bugs/change/drafts.ts';
import { changesOf, type LeftField, takeBack } from '../../../lib/bugs/change/take-back.ts';
import type { FieldChange } from '../../../lib/bugs/schema.ts';
import { eventRepositories } from '../../../lib/changes/events/change.ts';
import { readPastChanges } from '../../../lib/changes/events/found-changes.ts';
import { changedBugs } from '../../../lib/changes/events/replay.ts';
import { BugzillaError } from '../../../lib/errors.ts';
import { accountRepository } from '../../../lib/people/account-repository.ts';
import { callerOf, requireUser } from '../../../lib/people/caller.ts';
import { retryStale } from '../../../lib/table/retry.ts';
import { OPERATOR, requireAccount, requireOperator } from '../accounts.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print, tellingTable, UsageError } from '../context.ts';
import { requireTime, withLimit } from '../option-values.ts';
import { progressBar } from '../progress.ts';

const DEFAULT_LIMIT = 1_000;

interface UndoOptions {
  by: string;
  since: string;
  as: string;
  limit: number;
  apply?: boolean;
  mail?: boolean;
}

/** `undo --by LOGIN --since TIME` */
export const undoCommand = (program: Command, open: () => Promise<Context>): Command =>
  withLimit(program.command('undo'), 'at most so many bugs', DEFAULT_LIMIT)
    .description('show what somebody changed of bugs since a time, and take it back with --apply')
    .requiredOption('--by <LOGIN>', 'whose changes')
    .requiredOption('--since <TIME>', 'such as 2026-01-02T03:04:05Z')
    .option('--apply', 'take them back; fields that changed again since stay as they are')
    .option('--as <LOGIN>', 'who takes them back, in the histories of the bugs', OPERATOR)
    .option('--mail', 'tell those who follow the bugs, by events and mails')
    .action(async (options: UndoOptions) => undo(await open(), options));

/** Nothing is written under this name. */
const NOT_MADE = { id: 0, login: OPERATOR, real_name: '' };

async function undo(context: Context, options: UndoOptions): Promise<void> {
  const since = requireTime(options.since);
  const { user: changer } = await requireAccount(accountRepository(context.table), options.by);
  const isApplied = options.apply === true;
  const operator =
    isApplied || options.as !== OPERATOR
      ? requireUser(callerOf(await requireOperator(context, options.as)))
      : NOT_MADE;
  // Taken back a second time, the changes would be there again.
  if (operator.id === changer.id) throw new UsageError('--as must be another user than --by');
  const sources = eventRepositories(tellingTable(context, options.mail === true), context.table.now);
  const bugs: UndoneBug[] = [];
  const changed = () => bugs.filter(({ changes }) => changes.length > 0).map(({ id }) => id);
  /** Takes back the changes of a bug, or finds out what it would be. */
  const undone = async (id: number, apply: boolean): Promise<UndoneBug> => {
    try {
      return await retryStale('the bug', async () => {
        const past = await readPastChanges(id, since, sources);
        // Most bugs were changed by others only.
        const bug = past.some(changesOf(changer.login)) ? await sources.bugs.byId(id) : undefined;
        if (bug === undefined) return { id, changes: [], left: [] };
        const { changes, left } = await takeBack(bug, past, changer.login, operator, sources);
        if (apply && changes.length > 0) await sources.bugs.write(operator, await withIds(changes, sources));
        return { id, changes: changes.find(({ after }) => after.id === id)?.history ?? [], left };
      });
    } catch (error) {
      if (!(error instanceof BugzillaError)) throw error;
      return { id, changes: [], left: [{ field: 'all', why: error.message }] };
    }
  };
  const bar = progressBar(process.stderr, context.isJson);
  /** What an interrupted call left, the same call continues: what has the former value already stays. @returns whether there are more */
  const run = async (): Promise<boolean> => {
    let done = 0;
    for await (const id of changedBugs(sources, since)) {
      bar.report({ kind: 'bugs', done: ++done, total: undefined });
      const isFull = changed().length >= options.limit;
      const bug = await undone(id, isApplied && !isFull);
      if (isFull && bug.changes.length > 0) return true;
      if (!isFull && bug.changes.length + bug.left.length > 0) bugs.push(bug);
    }
    return false;
  };
  const hasMore = isApplied
    ? await audited(context, async (notes) => {
        const isMore = await run().finally(bar.end);
        notes.bugs = changed();
        notes.counts = { 'bugs changed': notes.bugs.length };
        return isMore;
      })
    : await run().finally(bar.end);
  const result = { is_applied: isApplied, bugs, has_more: hasMore };
  print(context, result, [...bugs.flatMap(linesOf), ...lastLines(isApplied, changed().length, hasMore)]);
}

const linesOf = ({ id, changes, left }: UndoneBug): string[] => [
  ...changes.map(
    ({ field_name, removed, added }) =>
      `bug ${id}: ${field_name} ${JSON.stringify(removed)} → ${JSON.stringify(added)}`,
  ),
  ...left.map(({ field, why }) => `bug ${id}: left ${field}: ${why}`),
];

function lastLines(isApplied: boolean, count: number, hasMore: boolean): string[] {
  const bugs = count === 1 ? '1 bug' : `${count} bugs`;
  return [
    isApplied ? `Took back changes of ${bugs}` : `Would change ${bugs}: --apply does it`,
    ...(hasMore ? ['There are more: run the command again'] : []),
  ];
}

/** What is taken back of a bug. */
interface UndoneBug {
  id: number;
  changes: readonly FieldChange[];
  left: LeftField[];
}
