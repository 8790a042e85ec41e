import { createdAttachmentOf } from '../attachments/presenter.ts';
import { historyItem } from '../bugs/schema.ts';
import { isOfBug } from '../bugs/store/history.ts';
import { type CommentItem, commentItem } from '../comments/schema.ts';
import {
  bugOfChangeKey,
  bugPartition,
  changedPartitions,
  changedRange,
  commentRange,
  historyRange,
  placeInHistory,
} from '../dynamodb/keys.ts';
import { anyItem, readPages, readRange, withKey } from '../dynamodb/read.ts';
import type { EventBus } from './bus.ts';
import type { ChangeSources, DatedLoggedChange } from './change.ts';
import { sendChange } from './send-change.ts';

/** A change whose events could not be sent. */
export interface FailedReplay {
  bug: number;
  /** after the change; absent: the changes of the bug cannot be read */
  revision?: number;
  error: unknown;
}

/** What is told of a replay while it runs. */
interface ReplayReport {
  /** the number of events so far */
  sent(events: number): void;
  failed(failure: FailedReplay): void;
}

/** So many failures one after another are not those of single bugs. */
const MAX_FAILURES = 20;

/**
 * Sends the events of all changes since a time again, bug by bug, with the ids that they had. A change that fails does not stop
 * the others.
 *
 * @param since `YYYY-MM-DDThh:mm:ssZ`
 * @param to `webhook`: name of the only one that is to get them; undefined: everybody. `mail`: whether they are mailed, too:
 *   only what was not mailed within the last 15 days
 * @returns how many events were sent
 * @throws the error of the last of 20 changes that failed one after another
 */
export async function replayEvents(
  sources: ChangeSources,
  bus: EventBus,
  since: string,
  { webhook, mail }: { webhook?: string | undefined; mail?: boolean | undefined },
  report: ReplayReport,
): Promise<number> {
  let sent = 0;
  let failures = 0;
  function fail(failure: FailedReplay): void {
    report.failed(failure);
    failures += 1;
    if (failures >= MAX_FAILURES) throw failure.error;
  }

  async function send(bug: number, logged: DatedLoggedChange): Promise<void> {
    const events = await sendChange(bug, logged, sources, bus, { webhook, mail });
    failures = 0;
    sent += events;
    report.sent(sent);
  }

  for await (const bug of changedBugs(sources, since)) {
    const changes = await changesOf(bug, since, sources).catch((error: unknown) => {
      fail({ bug, error });
      return [];
    });
    for (const { attachments: _, who: __, ...logged } of changes) {
      await send(bug, logged).catch((error: unknown) => fail({ bug, revision: logged.revision, error }));
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
  sources: ChangeSources,
  bus: EventBus,
): Promise<void> {
  const changes = await changesOf(bug, time, sources);
  for (const { attachments: _, who: __, ...logged } of changes.filter((one) => one.revision === revision)) {
    if ((await sendChange(bug, logged, sources, bus, { webhook, event })) > 0) return;
  }
  throw new Error(`bug ${bug} has no event ${event} any more`);
}

/** The bugs that the change log has since a time, each once. */
async function* changedBugs({ table }: ChangeSources, since: string): AsyncGenerator<number> {
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

/** The changes of a bug since a time, oldest first, as the change log had them. */
async function changesOf(
  id: number,
  since: string,
  { table, bugs }: ChangeSources,
): Promise<ReplayedChange[]> {
  const pk = bugPartition(id);
  // Ranges begin after a time, and the time is included here.
  const before = new Date(Date.parse(since) - 1_000).toISOString().replace('.000', '');
  const [bug, history, comments] = await Promise.all([
    bugs.byId(id),
    readRange(table, { pk, ...historyRange(before) }, withKey(historyItem)),
    readRange(table, { pk, ...commentRange(before) }, commentItem),
  ]);
  if (bug === undefined) return [];
  const changes: ReplayedChange[] = [];
  if (bug.creation_time >= since) {
    const first = { time: bug.creation_time, revision: 0, attachments: [] };
    changes.push({ kind: 'created', ...first, comments: [0, 1] });
  }
  const places = history
    .map((entry) => ({ ...placeInHistory(entry), changes: entry.changes, who: entry.who }))
    .filter((place) => isOfBug(place) && place.revision > 0);
  for (const same of Map.groupBy(places, ({ time, revision }) => `${time} ${revision}`).values()) {
    const [{ time, revision } = { time: '', revision: 0 }] = same;
    const attachments = same.flatMap((place) =>
      place.changes.flatMap(({ attachment_id }) => attachment_id ?? []),
    );
    changes.push({ kind: 'changed', time, revision, attachments, who: same[0]?.who });
  }
  const revisionAt = (time: string): number => {
    const until = places.filter((place) => place.time <= time);
    if (until.length === 0) return places.length === 0 ? bug.revision : (places[0]?.revision ?? 0) - 1;
    return Math.max(...until.map(({ revision }) => revision));
  };
  for (const comment of comments.filter(({ count }) => count > 0)) {
    const { count, creation_time: time } = comment;
    const own = changeOf(comment, changes);
    if (own !== undefined && own.comments === undefined) own.comments = [count, 1];
    else
      changes.push({
        kind: 'commented',
        time,
        revision: revisionAt(time),
        comments: [count, 1],
        attachments: [],
      });
  }
  return changes.sort(byTime);
}

/** A change with the attachments that its history names. */
type ReplayedChange = DatedLoggedChange & { attachments: readonly number[]; who?: string | undefined };

/**
 * The change that a comment came with: the one that created its attachment, whose flags are no second event, or the only one
 * that its author made in that second; undefined: it came alone.
 */
function changeOf(comment: CommentItem, changes: readonly ReplayedChange[]): ReplayedChange | undefined {
  const created = createdAttachmentOf(comment);
  const same = changes.filter(({ kind, time }) => kind === 'changed' && time === comment.creation_time);
  const creating = same.find(({ attachments }) => created !== undefined && attachments.includes(created));
  const [only, ...others] = same.filter(({ who }) => who === comment.creator);
  return creating ?? (others.length === 0 ? only : undefined);
}

const ORDER = { created: 0, changed: 1, commented: 2 } as const;

function byTime(a: DatedLoggedChange, b: DatedLoggedChange): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return ORDER[a.kind] - ORDER[b.kind] || a.revision - b.revision;
}
