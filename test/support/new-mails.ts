import { type LoggedChange, loggedEvents } from '../../lib/bugs/change-log/logged-change.ts';
import { eventRepositories, readChange } from '../../lib/changes/events/change.ts';
import type { Mail } from '../../lib/changes/mail/context.ts';
import { mailsOf } from '../../lib/changes/mail/mails.ts';
import { bugOfChangeKey, changedPartitions, timeOfChangeKey } from '../../lib/table/keys.ts';
import { anyItem, readRange } from '../../lib/table/read.ts';
import type { Bugless } from './bugless.ts';
import { clientOf, NEW_BUG } from './client.ts';
import type { Recording } from './recordings.ts';

/** What the deployment of the tests decides about mails. */
export const RULES = {
  insiderGroup: 'insiders',
  timetrackingGroup: 'timetrackers',
  base: 'https://bugs.example.org/',
};

/** A change of a bug that the log names. */
interface NewChange {
  bug: number;
  change: LoggedChange;
}

/** A mail with its text. */
export type ReadMail = Omit<Mail, 'text'> & { text: string };

/** Finds what requests change: the entries of the change log that are new since the last look. */
export function changeObserver(bugless: () => Bugless, rules = RULES) {
  let before = new Map<string, string>();
  const read = async () => {
    const items = await Promise.all(
      changedPartitions.map((pk) => readRange(bugless().table, { pk }, anyItem)),
    );
    const logged = items.flat().filter(({ events }) => events !== undefined);
    return new Map(
      logged.map(({ pk, sk, events, change_count }) => [`${pk} ${sk}`, `${change_count} ${events}`]),
    );
  };

  /** The changes since the last look. */
  async function newChanges(): Promise<NewChange[]> {
    const now = await read();
    const entries = [...now].filter(([key, value]) => before.get(key) !== value);
    before = now;
    return entries.map(([key, value]) => {
      const sk = key.slice(key.indexOf(' ') + 1);
      const change = loggedEvents.parse(JSON.parse(value.slice(value.indexOf(' ') + 1)));
      return {
        bug: bugOfChangeKey({ sk }),
        change: { ...change, time: change.time ?? timeOfChangeKey({ sk }) },
      };
    });
  }

  async function mailsOfChange(given: NewChange | undefined): Promise<ReadMail[]> {
    const sources = eventRepositories(bugless().table, () => new Date());
    if (given === undefined) return [];
    const found = await readChange(given.bug, given.change, sources, { withLater: true });
    if (found === undefined) return [];
    const { own, dependents } = await mailsOf(found, sources, rules);
    const mails = [...own];
    for await (const { mails: some } of dependents?.(0) ?? []) mails.push(...some);
    return mails.map((mail) => ({ ...mail, text: mail.text() }));
  }

  return {
    newChanges,
    mailsOfChange,
    /** The mails of the changes since the last look. */
    newMails: async (): Promise<ReadMail[]> =>
      (await Promise.all((await newChanges()).map(mailsOfChange))).flat(),
  };
}

/** Requests to a Bugless with a recorded catalogue, and their mails. */
export function mailClient(bugless: Bugless, keys: Recording['keys'], usual: string) {
  const observer = changeObserver(() => bugless);
  const client = clientOf(bugless, keys, usual);
  /** Sends a request, and returns its mails. */
  async function mailsOf(...request: Parameters<typeof client.done>): Promise<ReadMail[]> {
    await client.done(...request);
    return observer.newMails();
  }
  /** Sends a request whose mails are of no interest. @returns the body of its response */
  async function quietly(...request: Parameters<typeof client.done>) {
    const body = await client.done(...request);
    await observer.newChanges();
    return body;
  }
  return {
    ...{ ...observer, done: client.done, mailsOf, quietly },
    /** Creates a bug: reporter noedit, assignee user, QA contact insider. @returns its id */
    newBug: async (given: object = {}, as = 'noedit'): Promise<number> =>
      (await quietly('POST', '/rest/bug', { ...NEW_BUG, ...given }, as)).id,
    put: (id: number, body: object, as?: string) => mailsOf('PUT', `/rest/bug/${id}`, body, as),
  };
}

/** The names of recipients. */
export const names = (mails: readonly ReadMail[]): string[] =>
  mails.map(({ recipient: { login } }) => login.replace(/@.*/, '')).sort();
export const to = (mails: readonly ReadMail[], name: string): ReadMail[] =>
  mails.filter(({ recipient }) => recipient.login === `${name}@example.com`);
