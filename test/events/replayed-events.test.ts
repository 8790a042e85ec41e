import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { loggedChange } from '../../lib/bugs/change-log/logged-change.ts';
import { commentItem } from '../../lib/bugs/comments/schema.ts';
import type { BusEntry } from '../../lib/changes/events/bus.ts';
import { changeName, eventRepositories } from '../../lib/changes/events/change.ts';
import { INTERNAL_SOURCE } from '../../lib/changes/events/event.ts';
import { type Replay, replayEvents } from '../../lib/changes/events/replay.ts';
import { bugKey, commentKey } from '../../lib/table/keys.ts';
import { setItem } from '../../lib/table/write.ts';
import { runAdmin } from '../support/admin.ts';
import { useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { startBuglessWithEvents } from '../support/events.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBuglessWithEvents({ ...catalogue(), bugs: [] }, { ...RECORDED_SETTINGS, MAIL: 'true' }),
);

/** No change of a bug is before its last one: so all changes are made in this second. */
const SECOND = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+Z$/, 'Z');

async function send(as: string, method: string, path: string, body: object) {
  const response = await bugless.call(method, path, { key: keys.get(as), body });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response.body;
}

async function newBug(): Promise<number> {
  const { id } = await send('user', 'POST', '/rest/bug', NEW_BUG);
  await setItem(bugless.table, bugKey(id), { last_change_time: SECOND, last_comment_time: SECOND });
  return id;
}

const loggedDetail = z.object({ bug: z.number(), change: loggedChange });
const eventDetail = z.object({
  ...{ id: z.string(), revision: z.number(), event: z.unknown() },
  bug: z.object({
    id: z.number(),
    comment: z.optional(z.looseObject({ id: z.number() })),
    attachment: z.optional(z.object({ id: z.number() })),
  }),
});

/** What was said of a change: the bug in an event is as it is when the event is sent. */
interface Said {
  /** id of an event, or name of the change in the records of mails */
  name: string;
  bug: number;
  comment?: number | undefined;
  rest: unknown;
}

function said({ source, detail }: { source: string; detail: unknown }): Said {
  if (source === INTERNAL_SOURCE) {
    const { bug, change } = loggedDetail.parse(detail);
    return { name: changeName(change), bug, rest: change.time };
  }
  const { id, bug, ...rest } = eventDetail.parse(detail);
  return { name: id, bug: bug.id, comment: bug.comment?.id, rest: { ...bug, ...rest } };
}

/** Waits until what was written to bugs has been sent. @returns what was said of each */
async function sentOf(...bugs: number[]): Promise<Said[][]> {
  const sent: Said[] = [];
  for (const id of bugs) {
    const { id: last } = await send('user', 'POST', `/rest/bug/${id}/comment`, { comment: 'The last one.' });
    while (!sent.some(({ comment }) => comment === last)) sent.push(...(await bugless.take(1)).map(said));
    // The change itself follows its events, for mails.
    sent.push(...(await bugless.take(1)).map(said));
  }
  return bugs.map((id) => sent.filter(({ bug }) => bug === id));
}

async function replayed(replay: Replay): Promise<Said[]> {
  const found: Said[] = [];
  const put = async (entries: readonly BusEntry[]) => {
    found.push(...entries.map(({ source, detail }) => said({ source, detail: JSON.parse(detail) })));
  };
  const failed = ({ error }: { error: unknown }) => {
    throw error;
  };
  const sources = eventRepositories(bugless.table, () => new Date());
  await replayEvents(sources, { put }, replay, { sent: () => undefined, failed });
  return found;
}

/** All comments of the table. */
const readAll = async () =>
  (await allItems(bugless.table)).flatMap((item) => commentItem.safeParse(item).data ?? []);

const SINCE = new Date(Date.now() - 600_000).toISOString().replace(/\.\d+Z$/, 'Z');
const ATTACHMENT = { data: 'YQ==', file_name: 'a.txt', summary: 'A file', content_type: 'text/plain' };

describe('a replay of a bug that two people changed several times in one second', () => {
  it('is what was sent: the same events and names of mails, in the same order', async () => {
    const [bug, other] = [await newBug(), await newBug()];
    const path = `/rest/bug/${bug}`;
    const people = ['user', 'admin'] as const;
    for (const [round, as] of [...people, ...people].entries()) {
      await send(as, 'PUT', path, { whiteboard: `[${round}]`, comment: { body: `With a change ${round}` } });
      await send(as, 'POST', `${path}/comment`, { comment: `Alone ${round}` });
      await send(as, 'PUT', path, { url: `http://example.org/${round}` });
    }
    await send('admin', 'PUT', path, { work_time: 1, comment: { body: 'With hours' } });
    const flags = [{ name: 'review', status: '?', requestee: 'tracker@example.com' }];
    const { ids } = await send('user', 'POST', `${path}/attachment`, ATTACHMENT);
    await send('admin', 'POST', `${path}/attachment`, { ...ATTACHMENT, flags, comment: 'Please.' });
    await send('user', 'POST', `${path}/attachment`, { ...ATTACHMENT, flags });
    const [attachment] = ids;
    await send('user', 'PUT', `/rest/bug/attachment/${attachment}`, {
      summary: 'Another',
      comment: 'Better.',
    });
    await send('admin', 'PUT', path, {
      flags: [{ name: 'needinfo', status: '?', requestee: 'user@example.com' }],
    });
    await send('user', 'PUT', `/rest/bug/${other}`, {
      dupe_of: bug,
      status: 'RESOLVED',
      resolution: 'DUPLICATE',
    });
    await send('user', 'PUT', path, {
      ids: [bug, other],
      keywords: { add: ['perf'] },
      comment: { body: 'Both.' },
    });
    await Promise.all(
      times(16, (n) =>
        send(people[n % 2] ?? 'user', 'POST', `${path}/comment`, { comment: `Together ${n}` }),
      ),
    );
    const [sent, ofOther] = await sentOf(bug, other);
    const comments = (await readAll()).filter(({ bug_id }) => bug_id === bug);
    const [known] = (await exportedCatalogue(bugless.table)).bugs.filter(
      ({ id }: { id: number }) => id === bug,
    );
    expect(Object.keys(known.comments.at(-1))).not.toContain('revision');
    expect(comments.some(({ count, batch }) => batch !== undefined && batch !== count)).toBe(true);
    expect(await replayed({ since: SINCE, bug, mail: true })).toEqual(sent);
    expect(await replayed({ since: SINCE, bug: other, mail: true })).toEqual(ofOther);
    const ends = {
      since: SINCE,
      until: new Date(Date.parse(SECOND) - 1_000).toISOString().replace('.000', ''),
    };
    expect(await replayed({ ...ends, bug })).toMatchObject([{ name: `${bug}:create` }]);
    expect(await replayed({ ...ends, since: SECOND, until: SECOND, bug, mail: true })).toEqual(
      sent?.slice(2),
    );
  });

  it('tells comments that 1.2 wrote without events by themselves', async () => {
    const bug = await newBug();
    const change = (n: number) => ({ whiteboard: `[${n}]`, comment: { body: `With a change ${n}` } });
    await send('user', 'PUT', `/rest/bug/${bug}`, change(0));
    await send('admin', 'PUT', `/rest/bug/${bug}`, change(1));
    await send('admin', 'POST', `/rest/bug/${bug}/comment`, { comment: 'Alone' });
    const [sent] = await sentOf(bug);
    const comments = (await readAll()).filter(({ bug_id, count }) => bug_id === bug && count > 0);
    for (const comment of comments) {
      await setItem(bugless.table, commentKey(comment), { revision: undefined, batch: undefined });
    }
    const names = (all: Said[] = []) => all.map(({ name }) => name).sort();
    const told = names(await replayed({ since: SINCE, bug, mail: true }));
    expect(told).toEqual([...names(sent), 'commented-1', 'commented-2'].sort());
  });
});

it('replays one bug by command until a time, and refuses what is no bug or time', async () => {
  const [bug, other] = [await newBug(), await newBug()];
  await sentOf(bug, other);
  const environment = {
    ...{ TABLE_NAME: bugless.table.name, DYNAMODB_ENDPOINT: dynamoDbEndpoint() },
    ...{ EVENT_BUS_NAME: 'test', EVENTS_ENDPOINT: bugless.bus },
  };
  const replay = ['events', 'replay', '--since', SINCE, '--bug', String(bug)];
  expect(await runAdmin(replay, environment)).toMatchObject({ code: 0, stdout: 'Sent 2 events\n' });
  const now = new Date().toISOString();
  expect(await runAdmin([...replay, '--until', now], environment)).toMatchObject({
    stdout: 'Sent 1 events\n',
  });
  const refused = [
    [['--until', '2020-01-02'], 2, '--until is before --since'],
    [['--until', 'soon'], 2, 'is no time'],
    [['--bug', 'alias'], 2, "'alias' is no id of a bug"],
    [['--bug', '999999'], 1, 'there is no bug 999999'],
  ] as const;
  for (const [options, code, message] of refused) {
    const { stderr, ...result } = await runAdmin([...replay, ...options], environment);
    expect([result.code, stderr]).toEqual([code, expect.stringContaining(message)]);
  }
});
