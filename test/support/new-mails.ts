import { type LoggedChange, loggedEvents } from '../../lib/bugs/change-log/logged-change.ts';
import { eventRepositories, readChange } from '../../lib/changes/events/change.ts';
import type { Mail } from '../../lib/changes/mail/context.ts';
import { mailsOf } from '../../lib/changes/mail/mails.ts';
import { bugOfChangeKey, changedPartitions, timeOfChangeKey } from '../../lib/table/keys.ts';
import { anyItem, readRange } from '../../lib/table/read.ts';
import type { Bugless } from './bugless.ts';

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
