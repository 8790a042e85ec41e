import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BusEntry } from '../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { replayEvents } from '../../lib/changes/events/replay.ts';
import { type BuglessWithEvents, startBuglessWithEvents } from '../support/events.ts';
import { allItems } from '../support/table-items.ts';
import { checkedDetail } from '../support/webhook-schema.ts';
import { write } from './arbitrary-requests.ts';
import { checkProperty, TIMEOUT } from './check-property.ts';
import { keyOf, loginOf, start } from './initial-catalogue.ts';
import { asHttp, type Request } from './send-request.ts';

/** Sends a request, whatever the response is. */
async function send(bugless: BuglessWithEvents, request: Request): Promise<void> {
  const { method, target, options } = asHttp(request);
  await bugless.call(method, target, options);
}

/** Waits until the events of all that was written before have arrived. @returns their details by id */
async function drain(bugless: BuglessWithEvents): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const { id } of start.bugs) {
    const comment = { key: keyOf('admin'), body: { comment: 'The last one.' } };
    const { body } = await bugless.call('POST', `/rest/bug/${id}/comment`, comment);
    const last = `${id}:comment:${body.id}`;
    while (!found.has(last)) {
      for (const event of await bugless.take(1)) {
        const detail = checkedDetail(event);
        found.set(detail.id, detail);
      }
    }
  }
  return found;
}

/** Bugs of requests always have an assignee, those of a file need none. */
const catalogue = {
  ...start,
  bugs: start.bugs.map((bug) => ({ ...bug, assigned_to: bug.assigned_to || loginOf('admin') })),
};

it(
  'model-based test: events of random requests are valid, and a replay sends the same',
  () =>
    checkProperty(fc.array(write, { minLength: 10, maxLength: 60 }), async (requests) => {
      const bugless = await startBuglessWithEvents(catalogue);
      // Comments of the file without a time are as new as the requests.
      const given = (await allItems(bugless.table))
        .filter(({ sk }) => sk.startsWith('COMMENT#'))
        .map(({ bug_id, id }) => `${bug_id}:comment:${id}`);
      const since = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      for (const request of requests) await send(bugless, request);
      const received = await drain(bugless);
      await bugless.stopEvents();
      const replayed = new Set<string>();
      const put = async (entries: readonly BusEntry[]) => {
        for (const { detail } of entries) replayed.add(JSON.parse(detail).id);
      };
      const sources = eventRepositories(bugless.table, () => new Date());
      await replayEvents(
        sources,
        { put },
        { since },
        {
          sent: () => undefined,
          failed: ({ error }) => {
            throw error;
          },
        },
      );
      for (const id of given) replayed.delete(id);
      expect([...replayed].sort()).toEqual([...received.keys()].sort());
    }),
  TIMEOUT,
);
