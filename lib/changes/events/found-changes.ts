import type { PastChange } from '../../bugs/change/take-back.ts';
import type { LoggedChange } from '../../bugs/change-log/logged-change.ts';
import { commentItem } from '../../bugs/comments/schema.ts';
import { historyItem } from '../../bugs/schema.ts';
import { isOfBug } from '../../bugs/store/write-bug.ts';
import { bugPartition, commentRange, historyPosition, historyRange } from '../../table/keys.ts';
import { readRange, withKey } from '../../table/read.ts';
import { changeName, type EventRepositories, readRecord, recordedEntry } from './change.ts';

/** Times `YYYY-MM-DDThh:mm:ssZ`; both are included. */
export interface TimeRange {
  since: string;
  /** undefined: all since then */
  until?: string | undefined;
}

/** The changes of a bug, oldest first, as the change log had them. */
export async function findChanges(
  id: number,
  { since, until = '~' }: TimeRange,
  { table, bugs }: EventRepositories,
): Promise<LoggedChange[]> {
  const pk = bugPartition(id);
  const before = secondBefore(since);
  const [bug, history, comments] = await Promise.all([
    bugs.byId(id),
    readRange(table, { pk, ...historyRange(before) }, withKey(historyItem)),
    readRange(table, { pk, ...commentRange(before) }, commentItem),
  ]);
  if (bug === undefined) return [];
  const changes = new Map<string, LoggedChange>();
  const add = (change: LoggedChange) => changes.set(changeName(change), change);
  for (const position of history.map(historyPosition)) {
    const { time, revision } = position;
    if (!isOfBug(position) || revision === 0) continue;
    add({ kind: 'changed', time, revision });
  }
  for (const { revision, batch, count, creation_time: time } of comments) {
    if (revision === undefined) continue;
    const kind = batch === undefined ? 'changed' : 'commented';
    const name = changeName({ kind, revision, comments: [batch ?? 0, 0] });
    const [first, number] = changes.get(name)?.comments ?? [count, 0];
    changes.set(name, { kind, time, revision, comments: [first, number + 1] });
  }
  // A description belongs to the creation, whose revision is 0.
  changes.delete(changeName({ kind: 'changed', revision: 0 }));
  if (bug.creation_time >= since) {
    add({ kind: 'created', time: bug.creation_time, revision: 0, comments: [0, 1] });
  }
  for (const { revision, count, creation_time: time } of comments) {
    if (revision !== undefined || count === 0) continue;
    // That of a catalogue, or of 1.2 without events: it does not say what else its author changed with it.
    const last = [...changes.values()]
      .filter((one) => one.time <= time)
      .sort(compareChanges)
      .at(-1);
    add({ kind: 'commented', time, revision: last?.revision ?? 0, comments: [count, 1] });
  }
  return [...changes.values()].filter(({ time }) => time <= until).sort(compareChanges);
}

const ORDER = { created: 0, changed: 1, commented: 2 } as const;

/** In the order in which they were made: of one revision, the change before the comments that followed it. */
function compareChanges(a: LoggedChange, b: LoggedChange): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  const firstOf = ({ comments: [first] = [0, 0] }: LoggedChange) => first;
  return a.revision - b.revision || ORDER[a.kind] - ORDER[b.kind] || firstOf(a) - firstOf(b);
}

/** Ranges begin after a time, and it is included here. */
const secondBefore = (time: string): string =>
  new Date(Date.parse(time) - 1_000).toISOString().replace('.000', '');

/** What changed of a bug since a time, which is included, by whom; oldest first, without its creation. */
export async function readPastChanges(
  id: number,
  since: string,
  { table }: Pick<EventRepositories, 'table'>,
): Promise<PastChange[]> {
  const range = { pk: bugPartition(id), ...historyRange(secondBefore(since)) };
  const entries = (await readRange(table, range, recordedEntry)).filter((entry) => {
    const position = historyPosition(entry);
    return isOfBug(position) && position.revision > 0;
  });
  const changes = Map.groupBy(entries, (entry) => `${entry.when} ${historyPosition(entry).revision}`);
  return [...changes.values()].map((some) => ({
    when: some[0]?.when ?? '',
    who: some[0]?.who ?? '',
    changes: some.flatMap((entry) => entry.changes),
    record: some[0]?.record,
    flags: readRecord(some).flags,
  }));
}
