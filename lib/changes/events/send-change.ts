import type { LoggedChange } from '../../bugs/change-log/logged-change.ts';
import { buildEvents } from './build-events.ts';
import { type EventBus, entryOf, internalEntry } from './bus.ts';
import { type EventRepositories, readChange } from './change.ts';

/** Who is told of a change that is sent again. */
export interface SentTo {
  /** name of the only webhook that is to get it; undefined: everybody */
  webhook?: string | undefined;
  /** whether it is mailed, too: only what was not mailed within the last 15 days */
  mail?: boolean | undefined;
  /** id of the only event that is sent; undefined: all of the change */
  event?: string | undefined;
}

/**
 * Sends the events of a change again, with the ids that they had, and with what may be said of the bug now.
 *
 * @param bug its id
 * @returns how many events were sent; 0: the table has no such bug, or no such event
 * @throws errors of the table, and those of EventBus.put
 */
export async function sendChange(
  bug: number,
  change: LoggedChange,
  sources: EventRepositories,
  bus: EventBus,
  { webhook, mail, event: only }: SentTo,
): Promise<number> {
  const read = await readChange(bug, change, sources);
  if (read === undefined) return 0;
  const events = buildEvents(read).filter(({ id }) => only === undefined || id === only);
  const entries = events.map((event) => entryOf(event, webhook));
  await bus.put(mail === true ? [...entries, internalEntry(bug, change)] : entries);
  return events.length;
}
