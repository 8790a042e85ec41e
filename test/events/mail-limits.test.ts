import { expect, it } from 'vitest';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { consumeMessages, type MessageServices } from '../../lib/changes/mail/consume-messages.ts';
import type { Mail } from '../../lib/changes/mail/context.ts';
import { MAX_MAILS_A_CHANGE, PORTION } from '../../lib/changes/mail/deliver.ts';
import { mailsOf } from '../../lib/changes/mail/mails.ts';
import { mailRepository } from '../../lib/changes/mail/repository.ts';
import { bugKey, userKey } from '../../lib/table/keys.ts';
import { anyItem, readItem } from '../../lib/table/read.ts';
import { batchWrite, setItem } from '../../lib/table/write.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { changeObserver, RULES } from '../support/new-mails.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBugless({ ...catalogue(), bugs: [] }, { ...RECORDED_SETTINGS, EVENTS: 'true' }),
);
const { newChanges } = changeObserver(() => bugless);

/** Sends a request. @returns the messages of what it changed */
async function messagesOf(as: string, method: string, path: string, body: object) {
  await newChanges();
  const response = await bugless.call(method, path, { key: keys.get(as), body });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  const messages = (await newChanges()).map((detail) => {
    const id = JSON.stringify(detail);
    return { messageId: id, receiptHandle: id, body: JSON.stringify({ detail }) };
  });
  return { id: Number(response.body.id), messages };
}

/** Creates users with logins `<prefix>0@example.com` and so on. As an import brings them. */
async function createUsers(prefix: string, number: number, firstId: number): Promise<string[]> {
  const logins = Array.from({ length: number }, (_, index) => `${prefix}${index}@example.com`);
  const users = logins.map((login, index) => ({
    ...{ ...userKey(login), id: firstId + index, login, real_name: '', groups: [], revision: 0 },
  }));
  await batchWrite(bugless.table, users);
  return logins;
}

/** The function `mail` with a clock that only the test moves, and what it has sent. */
function startMail(
  time: string,
  perHour?: number,
  bounds = { maxMails: MAX_MAILS_A_CHANGE, portion: PORTION },
) {
  let now = Date.parse(time);
  const sent: Mail[] = [];
  const hidden: number[] = [];
  const clock = () => new Date(now);
  const { log, lines, counted } = recordedLog();
  const all = eventRepositories(bugless.table, clock);
  const bugsRead: number[] = [];
  const byIds = (ids: readonly number[]) => {
    bugsRead.push(...ids);
    return all.bugs.byIds(ids);
  };
  const sources = { ...all, bugs: { ...all.bugs, byIds } };
  const services: MessageServices = {
    ...{ sources, now: clock, log, mails: mailRepository(bugless.table, clock) },
    mailsOf: (change) => mailsOf(change, sources, RULES),
    send: async (mail) => void sent.push(mail),
    hide: async (_, seconds) => void hidden.push(seconds),
    ...{ perHour: perHour ?? 1_000, ...bounds, timeoutMs: 10_000 },
  };
  return {
    ...{ sent, hidden, lines, counted, bugsRead },
    receive: (messages: Parameters<typeof consumeMessages>[0], isLate = () => false) =>
      consumeMessages(messages, isLate, services),
    pass(minutes: number) {
      now += minutes * 60_000;
    },
    sentFor: (bug: number) => sent.filter(({ subject }) => subject.startsWith(`[Bug ${bug}]`)).length,
  };
}

it('ten comments on a bug with many users on CC leave the mails of the hour to others', async () => {
  const cc = await createUsers('crowd', 49, 10_000);
  const { id: crowded } = await messagesOf('user', 'POST', '/rest/bug', NEW_BUG);
  await setItem(bugless.table, bugKey(crowded), { cc });
  const { id: other } = await messagesOf('admin', 'POST', '/rest/bug', NEW_BUG);
  const flood = [];
  for (let number = 1; number <= 10; number += 1) {
    const path = `/rest/bug/${crowded}/comment`;
    flood.push(...(await messagesOf('user', 'POST', path, { comment: `Comment ${number}` })).messages);
  }
  expect(flood.length).toBe(10);
  const small = await messagesOf('user', 'PUT', `/rest/bug/${other}`, { whiteboard: '[by the same]' });
  const others = await messagesOf('admin', 'POST', `/rest/bug/${other}/comment`, { comment: 'An answer' });

  const mail = startMail('2026-01-02T03:04:05Z', 520);
  const left = await mail.receive(flood);
  // What the hour has released after four minutes, but for a tenth, which is for small changes.
  expect([left.length, mail.sentFor(crowded)]).toEqual([8, 149]);
  expect(await mail.receive([...small.messages, ...others.messages])).toEqual([]);
  expect(mail.sentFor(other)).toBeGreaterThanOrEqual(2);
  for (const seconds of mail.hidden) {
    expect(seconds).toBeGreaterThanOrEqual(3 * 60);
    expect(seconds).toBeLessThan(8 * 60);
  }
  const user = await readItem(bugless.table, userKey('user@example.com'), anyItem);
  expect(mail.lines.length).toBe(8);
  for (const line of mail.lines) {
    expect(line).toMatchObject({
      bug: crowded,
      user: user?.['id'],
      limit: 'pace',
      number: expect.any(Number),
    });
  }
  const waiting = flood.filter(({ messageId }) => left.includes(messageId));
  const delayed = mail.counted.MailsDelayed ?? 0;
  mail.pass(46);
  expect(await mail.receive(waiting)).toEqual([]);
  expect(mail.sentFor(crowded)).toBe(149 + delayed);
  // Each on CC, and with them the assignee or others with a role: nobody twice.
  const told = mail.sent.filter(({ subject }) => subject.startsWith(`[Bug ${crowded}]`));
  expect(new Set(told.map(({ recipient, id: name }) => `${recipient.id} ${name}`)).size).toBe(told.length);
  expect(told.length).toBeGreaterThanOrEqual(490);
});

it('a change whose mails wait for more than 90 minutes is counted as late', async () => {
  const { messages } = await messagesOf('user', 'POST', '/rest/bug', NEW_BUG);
  const mail = startMail('2027-01-02T03:04:05Z', 1);
  const sentAt = (minutes: number) => {
    const SentTimestamp = String(Date.parse('2027-01-02T03:04:05Z') - minutes * 60_000);
    return messages.map((message) => ({ ...message, attributes: { SentTimestamp } }));
  };
  const { id } = await messagesOf('admin', 'POST', '/rest/bug', NEW_BUG);
  const first = await messagesOf('user', 'PUT', `/rest/bug/${id}`, { whiteboard: '[first]' });
  await mail.receive(first.messages);
  expect((await mail.receive(sentAt(89))).length).toBe(1);
  expect(mail.counted.MailsLate).toBe(undefined);
  expect((await mail.receive(sentAt(91))).length).toBe(1);
  expect(mail.counted.MailsLate).toBe(1);
});

it('a change with too many mails is told to the own people of its bug, and then to as many in all as a change may have', async () => {
  const BUGS = 40;
  const PEOPLE = 20;
  // A fiftieth of those of the function.
  const bounds = { maxMails: 200, portion: 10 };
  const cc = await createUsers('many', PEOPLE, 20_000);
  const { id: closed } = await messagesOf('admin', 'POST', '/rest/bug', NEW_BUG);
  const item = await readItem(bugless.table, bugKey(closed), anyItem);
  const ids = Array.from({ length: BUGS }, (_, index) => 5_000 + index);
  await batchWrite(
    bugless.table,
    ids.map((id) => ({ ...item, ...bugKey(id), id, cc, depends_on: [closed] })),
  );
  await setItem(bugless.table, bugKey(closed), { blocks: ids });
  const { messages } = await messagesOf('admin', 'PUT', `/rest/bug/${closed}`, {
    ...{ status: 'RESOLVED', resolution: 'FIXED' },
  });
  const mail = startMail('2028-01-02T03:04:05Z', 1_000_000, bounds);
  expect(await mail.receive(messages)).toEqual([]);
  const own = mail.sentFor(closed);
  expect(own).toBeGreaterThan(0);
  expect(mail.sent.slice(0, own).map(({ type }) => type)).not.toContain('dep_changed');
  expect(mail.sent.length).toBe(bounds.maxMails);
  const told = new Set(mail.sent.slice(own).map(({ id }) => id));
  expect([...told]).toEqual(ids.slice(0, told.size).map((id) => `dep_changed_${id}`));
  // Ten at a time, none beyond the bound: what is in memory does not depend on how many there are.
  expect(mail.bugsRead.length).toBeLessThanOrEqual(told.size + 10);
  expect(mail.lines).toMatchObject([
    { message: 'A change has too many mails: the rest is not sent', bug: closed },
  ]);
  expect(mail.counted).toEqual({ MailsSent: bounds.maxMails, ChangesOverLimit: 1 });
});
