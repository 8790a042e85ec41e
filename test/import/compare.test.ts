import { describe, expect, it } from 'vitest';
import { adminOf } from '../support/admin.ts';
import { type Bugless, newTable, serve } from '../support/bugless.ts';
import { exported } from '../support/exported.ts';
import { changeObserver, RULES } from '../support/new-mails.ts';
import type { Evening } from '../support/recorded-databases.ts';
import { unexplained } from './differences.ts';
import { CALLERS, differencesFrom, type RecordedLine, recordedLines } from './recorded.ts';
import { recordedAttachments, runImport, settingsOf, sqliteSource } from './source.ts';

/** An import that has ended: the service, and API keys of users, which are made when they are asked for. */
interface Imported {
  bugless: Bugless;
  lines: RecordedLine[];
  keyOf: (login: string) => Promise<string | undefined>;
}

const table = await newTable();
const source = sqliteSource();
const attachments = recordedAttachments(source.folder);

async function imported(evening: Evening): Promise<Imported> {
  source.become(evening);
  const { code, stderr } = await runImport(table, source, evening, '--attachments', attachments);
  expect([code, stderr.includes('Error')]).toEqual([0, false]);
  const keys = new Map<string, string | undefined>();
  return {
    bugless: await serve(table, settingsOf(evening)),
    lines: recordedLines(evening),
    async keyOf(login) {
      if (!keys.has(login)) {
        const { stdout } = await adminOf(table)('key', 'create', login, '--json');
        keys.set(login, stdout === '' ? undefined : JSON.parse(stdout).key);
      }
      return keys.get(login);
    },
  };
}

const callers: [who: string, login?: string][] = [...Object.entries(CALLERS), ['anonymous']];

describe.each<Evening>(['A', 'B'])(
  'the import of %s, into the table of the evening before, answers as the Bugzilla:',
  (evening) => {
    let known: Promise<Imported> | undefined;
    const the = () => {
      known ??= imported(evening);
      return known;
    };

    it('what recorded callers asked', async () => {
      const asked = (await the()).lines.filter(({ path }) => path !== undefined);
      expect(new Set(asked.map(({ who }) => who))).toEqual(new Set(callers.map(([who]) => who)));
    });

    // One by one, so that a busy machine has time for each.
    it.each(callers)('everything that %s may ask, but for differences with a reason', async (who, login) => {
      const { bugless, lines, keyOf } = await the();
      const key = login && (await keyOf(login));
      const own = lines.filter((line) => line.who === who);
      expect(unexplained(await differencesFrom(bugless, own, () => key))).toEqual([]);
    });

    it('who sees which bug', async () => {
      const { bugless, lines, keyOf } = await the();
      const asked = lines.filter(({ perl }) => perl === 'can_see_bug');
      expect(asked.length).toBeGreaterThan(4);
      for (const { who, yes, no } of asked) {
        const [visible, hidden] = [numbers(yes), numbers(no)];
        const path = `/rest/bug?id=${[...visible, ...hidden].join()}&include_fields=id&limit=0`;
        const { body } = await bugless.call('GET', path, { key: await keyOf(who) });
        const seen = body.bugs.map(({ id }: { id: number }) => id).sort(byNumber);
        // Nobody sees it there, and administrators here.
        const ofAdministrators = who === CALLERS['admin'] ? hidden : [];
        expect([who, seen]).toEqual([who, [...visible, ...ofAdministrators].sort(byNumber)]);
      }
    });

    it('who sees which product, and files bugs in it', async () => {
      const { bugless, lines, keyOf } = await the();
      const asked = lines.filter(({ perl }) => perl === 'products');
      for (const { who, can_see_product: see, can_enter_product: enter } of asked) {
        for (const [type, expected] of [
          ['selectable', see],
          ['enterable', enter],
        ]) {
          const path = `/rest/product?type=${type}&include_fields=name`;
          const { body } = await bugless.call('GET', path, { key: await keyOf(who) });
          const names = body.products.map(({ name }: { name: string }) => name).sort();
          expect([who, type, names]).toEqual([who, type, texts(expected).sort()]);
        }
      }
    });

    it('who is in which group', async () => {
      const { bugless, lines, keyOf } = await the();
      const key = await keyOf(CALLERS['admin'] ?? '');
      const asked = lines.filter(({ perl, enabled }) => perl === 'user' && enabled === true);
      for (const { who, groups } of asked) {
        const { body } = await bugless.call('GET', `/rest/user?names=${encodeURIComponent(who.trim())}`, {
          key,
        });
        const names = body.users[0].groups.map(({ name }: { name: string }) => name);
        // SQL has added users whose login no expression was asked about.
        const expected = new Set([...texts(groups), ...(names.includes('editbugs') ? names : [])]);
        expect([who, texts(groups).filter((name) => !names.includes(name))]).toEqual([who, []]);
        expect(expected.size).toBeGreaterThanOrEqual(names.length);
      }
    });
  },
);

it('a second run makes the table what an import into an empty one makes', async () => {
  const empty = await newTable();
  source.become('B');
  expect((await runImport(empty, source, 'B', '--attachments', attachments)).code).toBe(0);
  const keyless = (text: string) =>
    text.replaceAll(/,\{"key_sha256":"[0-9a-f]{64}"[^}]*"created_at"[^}]*\}/g, '');
  const sorted = (text: string) => keyless(text).split('\n').sort();
  const [one, other] = [sorted(await exported(table)), sorted(await exported(empty))];
  expect(one.length).toBe(other.length);
  for (const [index, line] of one.entries()) {
    if (!line.startsWith('{"groups"')) expect(line).toBe(other[index]);
  }
  expect((await runImport(table, source, 'B', '--attachments', attachments, '--verify')).code).toBe(0);
});

/** What the recorded changes are, as requests. */
const CHANGES: Readonly<Record<string, object>> = {
  comment: { comment: { body: 'A comment' } },
  priority: { priority: 'High' },
  cc: { cc: { add: ['anna@bugless.example'] } },
  resolve: { status: 'RESOLVED', resolution: 'FIXED', comment: { body: 'Done' } },
};

it('mails of changes go to the people whom Bugzilla sends them, but for disabled ones and global watchers', async () => {
  expect((await runImport(table, source, 'B', '--attachments', attachments, '--final')).code).toBe(0);
  const bugless = await serve(table, { ...settingsOf('B'), EVENTS: 'true' });
  const rules = { ...RULES, insiderGroup: settingsOf('B')['INSIDER_GROUP'] ?? '' };
  const { newMails } = changeObserver(() => bugless, rules);
  const keyOf = async (login: string) =>
    JSON.parse((await adminOf(table)('key', 'create', login, '--json')).stdout).key;
  const { body: all } = await bugless.call('GET', '/rest/user?match=*&include_disabled=true', {
    key: await keyOf('admin@bugless.example'),
  });
  const disabled = all.users.flatMap((one: { name: string; can_login: boolean }) =>
    one.can_login ? [] : [one.name],
  );
  const isMailed = (login: string) =>
    !disabled.includes(login) && login.includes('@') && !login.startsWith('globalwatch@');
  for (const { perl, who, bug, change, sent } of recordedLines('B')) {
    const body = CHANGES[String(change)];
    if (perl !== 'BugMail' || body === undefined) continue;
    const key = await keyOf(who);
    expect((await bugless.call('PUT', `/rest/bug/${bug}`, { key, body })).status).toBe(200);
    const to = [...new Set((await newMails()).map(({ recipient }) => recipient.login))];
    expect([bug, to.filter(isMailed).sort()]).toEqual([bug, texts(sent).filter(isMailed).sort()]);
  }
});

const byNumber = (a: number, b: number): number => a - b;
const numbers = (given: unknown): number[] => (Array.isArray(given) ? given.map(Number) : []);
const texts = (given: unknown): string[] => (Array.isArray(given) ? given.map(String) : []);
