import { bugOfChangeKey, changedPartitions, changedRange } from '../../table/keys.ts';
import { anyItem, readPages } from '../../table/read.ts';
import type { EventBus } from './bus.ts';
import type { EventRepositories } from './change.ts';
import { findChanges, type TimeRange } from './found-changes.ts';
import { type SentTo, sendChange } from './send-change.ts';

/** A change whose events could not be sent. */
export interface FailedReplay {
  bug: number;
  /** after the change; absent: the changes of the bug cannot be read */
  revision?: number;
  error: unknown;
}

/** What is sent again, and to whom. */
export interface Replay extends TimeRange, Omit<SentTo, 'event'> {
  /** id of the only bug; undefined: all bugs */
  bug?: number | undefined;
}

/** What is told of a replay while it runs. */
interface ReplayReport {
  /** the number of events so far */
  sent(events: number): void;
  failed(failure: FailedReplay): void;
}

/** So many failures one after another are not those of single bugs. */
const MAX_FAILED_CHANGES_IN_A_ROW = 20;

/**
 * Sends the events of changes again, bug by bug, with the ids that they had. A change that fails does not stop the others.
 *
 * @returns how many events were sent
 * @throws the error of the last of 20 changes that failed one after another
 */
export async function replayEvents(
  sources: EventRepositories,
  bus: EventBus,
  { since, until, bug: only, webhook, mail }: Replay,
  report: ReplayReport,
): Promise<number> {
  let sent = 0;
  let failures = 0;
  function fail(failure: FailedReplay): void {
    report.failed(failure);
    failures += 1;
    if (failures >= MAX_FAILED_CHANGES_IN_A_ROW) throw failure.error;
  }

  for await (const bug of only === undefined ? changedBugs(sources, since) : [only]) {
    const changes = await findChanges(bug, { since, until }, sources).catch((error: unknown) => {
      fail({ bug, error });
      return [];
    });
    for (const logged of changes) {
      try {
        sent += await sendChange(bug, logged, sources, bus, { webhook, mail });
        failures = 0;
        report.sent(sent);
      } catch (error) {
        fail({ bug, revision: logged.revision, error });
      }
    }
  }
  return sent;
}

/**
 * Sends one event to one webhook again.
 *
 * @param event its id, the id of the bug, the revision after the change and the time of the change
 * @param webhook its name
 * @throws Error when the bug has no such change any more; errors of the table, and those of EventBus.put
 */
export async function replayEvent(
  { event, bug, revision, time }: { event: string; bug: number; revision: number; time: string },
  webhook: string,
  sources: EventRepositories,
  bus: EventBus,
): Promise<void> {
  const changes = await findChanges(bug, { since: time, until: time }, sources);
  for (const logged of changes.filter((one) => one.revision === revision)) {
    if ((await sendChange(bug, logged, sources, bus, { webhook, event })) > 0) return;
  }
  throw new Error(`bug ${bug} has no event ${event} any more`);
}

/** The bugs that the change log has since a time, each once: one that was changed earlier and later, too, is found by the later change. */
export async function* changedBugs(
  { table }: Pick<EventRepositories, 'table'>,
  since: string,
): AsyncGenerator<number> {
  for (const pk of changedPartitions) {
    const known = new Set<number>();
    for await (const page of readPages(table, { pk, ...changedRange(since) }, anyItem)) {
      for (const item of page) {
        const id = bugOfChangeKey(item);
        if (known.has(id)) continue;
        known.add(id);
        yield id;
      }
    }
  }
}
