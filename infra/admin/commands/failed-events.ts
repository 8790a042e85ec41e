import { type Command, InvalidArgumentError } from 'commander';
import { eventBus } from '../../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../../lib/changes/events/change.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print } from '../context.ts';
import { type Failure, failureOf, shownFailure } from '../failed/failure.ts';
import { FAILED_QUEUES, failedQueue } from '../failed/queues.ts';
import { failureLine, oneLine, redrive } from '../failed/redrive.ts';
import { MAX_LIMIT, withLimit } from '../option-values.ts';

const DEFAULT_LIMIT = 100;

/** `events failed`, `events redrive`, `events discard ID --why TEXT` */
export function failedEventsCommands(events: Command, open: () => Promise<Context>): void {
  const limited = (command: Command): Command =>
    withLimit(command, 'at most so many of each queue', DEFAULT_LIMIT);
  limited(events.command('failed'))
    .description('list what could not be delivered: events, webhooks and mails')
    .action(async ({ limit: max }: { limit: number }) => list(await open(), max));
  limited(events.command('redrive'))
    .description('send again what could not be delivered, and remove it from the queues')
    .action(async ({ limit: max }: { limit: number }) => redriveAll(await open(), max));
  events
    .command('discard')
    .argument('<ID...>', 'of messages, as events failed prints them')
    .requiredOption('--why <TEXT>', 'which the audit log keeps', reason)
    .description('remove what must not be sent again')
    .action(async (ids: string[]) => discard(await open(), new Set(ids)));
}

function reason(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must say why.');
}

/** The queues that the stack has. @throws Error when it has none */
function queuesOf({ failedQueues }: Context) {
  const queues = FAILED_QUEUES.flatMap((name) => {
    const url = failedQueues?.[name];
    return url === undefined ? [] : [{ name, queue: failedQueue(url) }];
  });
  if (queues.length === 0) throw new Error(NO_QUEUES);
  return queues;
}

/** What could not be delivered: all of a queue is received before the first is given, so that what is released does not come again. */
async function* failuresIn(queues: ReturnType<typeof queuesOf>, max: number) {
  for (const { name, queue } of queues) {
    for (const message of await Array.fromAsync(queue.messages(max))) {
      yield { queue, message, failure: failureOf(name, message) };
    }
  }
}

async function list(context: Context, max: number): Promise<void> {
  const failures: Failure[] = [];
  for await (const { queue, message, failure } of failuresIn(queuesOf(context), max)) {
    failures.push(failure);
    await queue.release(message);
  }
  const lines = failures.length === 0 ? ['Nothing has failed'] : failures.map(failureLine);
  print(context, failures.map(shownFailure), lines);
}

async function redriveAll(context: Context, max: number): Promise<void> {
  const { table, bus } = context;
  const queues = queuesOf(context);
  if (bus === undefined) throw new Error(NO_QUEUES);
  const services = {
    sources: eventRepositories(table, table.now),
    bus: eventBus(bus.name, bus.endpoint),
    isMailed: queues.some(({ name }) => name === 'mail'),
    streamEndpoint: context.settings.DYNAMODB_ENDPOINT,
  };
  const left: (ReturnType<typeof shownFailure> & { reason: string })[] = [];
  const sent = await audited(context, async (notes) => {
    let redriven = 0;
    for await (const { queue, message, failure } of failuresIn(queues, max)) {
      try {
        if (failure.retry?.kind === 'mail') await queue.sendBack(message);
        else await redrive(failure.retry, services);
        await queue.delete(message);
        redriven += 1;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        left.push({ ...shownFailure(failure), reason });
        console.error(oneLine(`left  ${failureLine(failure)}: ${reason}`));
        await queue.release(message);
      }
    }
    notes.counts = { redriven, failed: left.length };
    return redriven;
  });
  print(context, { redriven: sent, left }, [`Sent ${sent} again`]);
  if (left.length > 0) throw new Error(`${left.length} could not be sent, and are still in their queues`);
}

async function discard(context: Context, wanted: ReadonlySet<string>): Promise<void> {
  const queues = queuesOf(context);
  const discarded = await audited(context, async (notes) => {
    const found = new Set<string>();
    for await (const { queue, message, failure } of failuresIn(queues, MAX_LIMIT)) {
      if (wanted.has(failure.id)) {
        await queue.delete(message);
        found.add(failure.id);
      } else await queue.release(message);
    }
    notes.counts = { discarded: found.size };
    return found;
  });
  const missing = [...wanted].filter((id) => !discarded.has(id));
  print(context, { discarded: [...discarded], missing }, [`Removed ${discarded.size}`]);
  if (missing.length > 0) throw new Error(`no queue has ${missing.join(', ')}`);
}

const NO_QUEUES =
  'There are no queues of what could not be delivered: use --stack NAME of a stack that is deployed with events.';
