import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { changeObserver } from '../support/new-mails.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBugless(catalogue(), { ...RECORDED_SETTINGS, EVENTS: 'true' }));

interface RecordedMail {
  to: string;
  subject: string;
  headers: Record<string, string>;
  parts: string[];
  text: string;
}
interface Recorded {
  n: number;
  what: string;
  as: string;
  request: { method: string; path: string; body: object };
  status: number;
  mails: RecordedMail[];
}
const recorded: Recorded[] = readFileSync(join(import.meta.dirname, '../reference/mail.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const { newMails } = changeObserver(() => bugless);

/** Bugzilla sends these with the next change of the bug only: functions/mail/README.md 4. */
const AT_ONCE = 3;
const LATER = 6;
/** Bugzilla mails disabled accounts. */
const DISABLED = 48;

const words = (text: string | undefined) =>
  (text ?? '')
    .split(' ')
    .filter((word) => word !== '')
    .sort();

/** A row of changes, or of the fields of a new bug. */
const isRow = (line: string): boolean => /^.{19}\|.{28}\|/u.test(line) || /^ +[\w. ]+: /.test(line);

/** A text without the order of rows and reasons, which is that of hashes in Bugzilla. */
function normalized(text: string): unknown {
  const rows: string[] = [];
  const lines = text.split('\n');
  const reasons = lines.filter((line) => line.startsWith('You ')).sort();
  const others: string[] = [];
  for (const line of lines) {
    if (line.startsWith('You ')) continue;
    (isRow(line) ? rows : others).push(line);
  }
  return { others, reasons, rows: rows.sort() };
}

const shown = ({ to, subject, headers, text }: RecordedMail) => {
  const {
    'X-Bugzilla-Reason': reason,
    'X-Bugzilla-Changed-Fields': changed,
    'X-Bugzilla-Flags': flags,
    ...others
  } = headers;
  const rest = Object.fromEntries(
    Object.entries(others).filter(
      ([name]) => !['Message-ID', 'In-Reply-To', 'References', 'List-Unsubscribe'].includes(name),
    ),
  );
  // It is empty in Bugzilla's mails about flags.
  if (rest['X-Bugzilla-Type'] === 'request') delete rest['X-Bugzilla-Who'];
  return {
    to,
    subject,
    rest,
    reason: words(reason),
    changed: words(changed),
    flags: words(flags),
    text: normalized(text),
  };
};

const order = (a: RecordedMail, b: RecordedMail) =>
  `${a.to} ${a.subject}` < `${b.to} ${b.subject}` ? -1 : 1;

describe('mails are those that Bugzilla sends', () => {
  for (const { n, what, as, request, status, mails } of recorded) {
    it(`${n}: ${what}`, async () => {
      const { method, path, body } = request;
      const login = as.replace(/@.*/, '');
      const response = await bugless.call(method, path, { key: keys.get(login), body });
      expect(response.status, JSON.stringify(response.body)).toBe(status);
      const sent = (await newMails()).map(
        ({ recipient, subject, headers, text }): RecordedMail => ({
          ...{ to: recipient.login, subject, text, parts: [] },
          headers: { ...headers },
        }),
      );
      const expected = mails.filter(({ to }) => n !== DISABLED || to !== 'tracker@example.com');
      const actual = n === AT_ONCE ? sent.filter(({ subject }) => subject.includes('[Bug 63]')) : sent;
      if (n === AT_ONCE) expect(sent.filter(({ text }) => text.includes('Blocks|')).length).toBe(4);
      if (n === LATER) {
        expect(actual.map(({ to, subject }) => [to, subject]).sort()).toEqual(
          expected.map(({ to, subject }) => [to, subject]).sort(),
        );
        return;
      }
      const compared = (some: RecordedMail[]) => some.sort(order).map(shown);
      expect(compared(actual)).toEqual(compared(expected));
    });
  }
});
