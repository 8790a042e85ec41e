import type { Command } from 'commander';
import { isAllDigits } from '../../../lib/base/ids.ts';
import { escapeInvisible } from '../../../lib/base/text.ts';
import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import { eventBus } from '../../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../../lib/changes/events/change.ts';
import { type FailedReplay, replayEvents } from '../../../lib/changes/events/replay.ts';
import { audited } from '../audit/audited.ts';
import { type Context, NO_BUS, print, UsageError } from '../context.ts';
import { requireTime } from '../option-values.ts';
import { progressBar } from '../progress.ts';
import { checkEventsCommand } from './check-events.ts';
import { failedEventsCommands } from './failed-events.ts';

interface ReplayOptions {
  since: string;
  until?: string;
  bug?: string;
  webhook?: string;
  mail?: boolean;
}

/** `events replay --since TIME --until TIME --bug ID`, `events failed`, `events redrive`, `events check --stage FILE` */
export function eventsCommand(program: Command, open: () => Promise<Context>): void {
  const events = program.command('events').description('send events again, and see which failed');
  events
    .command('replay')
    .description('send the events of all changes since a time again, with the ids that they had')
    .requiredOption('--since <TIME>', 'such as 2026-01-02T03:04:05Z')
    .option('--until <TIME>', 'no later changes')
    .option('--bug <ID>', 'of this bug only')
    .option('--webhook <NAME>', 'to this webhook only')
    .option('--mail', 'mail what was not mailed within 15 days, too')
    .action(async (options: ReplayOptions) => replay(await open(), options));
  failedEventsCommands(events, open);
  checkEventsCommand(events, program);
}

async function replay(context: Context, options: ReplayOptions): Promise<void> {
  const { webhook, mail } = options;
  const since = requireTime(options.since);
  const until = options.until === undefined ? undefined : requireTime(options.until);
  if (until !== undefined && until < since) throw new UsageError('--until is before --since');
  const bug = options.bug === undefined ? undefined : await requireBug(options.bug, context);
  if (context.bus === undefined) throw new Error(NO_BUS);
  const { name, endpoint } = context.bus;
  const bar = progressBar(process.stderr, context.isJson);
  const sources = eventRepositories(context.table, context.table.now);
  const failed: FailedReplay[] = [];
  const report = {
    sent: (done: number) => bar.report({ kind: 'events', done, total: undefined }),
    failed(failure: FailedReplay) {
      failed.push(failure);
      bar.end();
      console.error(escapeInvisible(failureLine(failure)));
    },
  };
  const events = await audited(
    context,
    (sent) => ({ events: sent, failed: failed.length }),
    () =>
      replayEvents(sources, eventBus(name, endpoint), { since, until, bug, webhook, mail }, report).finally(
        bar.end,
      ),
  );
  const shown = failed.map(({ bug, revision, error }) => ({ bug, revision, error: messageOf(error) }));
  print(context, { events, ...(shown.length === 0 ? {} : { failed: shown }) }, [`Sent ${events} events`]);
  if (failed.length > 0) throw new Error(`${failed.length} changes could not be sent`);
}

/** The id of a bug that exists. */
async function requireBug(given: string, { table }: Context): Promise<number> {
  if (!isAllDigits(given)) throw new UsageError(`'${given}' is no id of a bug`);
  const bug = await bugRepository(table, table.now).byId(Number(given));
  if (bug === undefined) throw new Error(`there is no bug ${given}`);
  return bug.id;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const failureLine = ({ bug, revision, error }: FailedReplay): string =>
  `failed  bug ${bug}${revision === undefined ? '' : `, revision ${revision}`}: ${messageOf(error)}`;
