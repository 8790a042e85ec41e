import { type AddressObject, simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../../lib/changes/mail/context.ts';
import { changeTable } from '../../../../lib/changes/mail/rows.ts';
import { rawMessage, toHtml } from '../../../../lib/changes/mail/senders.ts';
import { wrapText } from '../../../../lib/changes/mail/wrap.ts';

const mail = (given: Partial<Mail> = {}, real_name = 'Ann'): Mail => ({
  ...{ recipient: { id: 1, login: 'ann@example.org', real_name, groups: [] }, changer: 2 },
  type: 'changed',
  id: 'changed',
  subject: '[Bug 1] A bug',
  headers: { 'X-Bugzilla-Product': 'Alpha' },
  text: () => 'Text',
  hasHtml: true,
  ...given,
});
const SETTINGS = { from: 'bugs@example.org', replyTo: undefined };

/** The lines of the headers of a message. */
async function headersOf(given: Mail): Promise<string> {
  const [headers = ''] = (await rawMessage(given, SETTINGS)).toString('latin1').split('\r\n\r\n');
  return headers;
}

const HOSTILE = [
  'A\r\nBcc: victim@example.net',
  'A\nBcc: victim@example.net\n\nBody',
  'A\rBcc: victim@example.net',
  'A\u2028Bcc: victim@example.net',
  'A\u0085Bcc: victim@example.net',
  'A\u0000B',
  '🪐'.repeat(500),
  '\u202Eright to left',
  'lone \ud800 surrogate',
  '=?utf-8?Q?=0ABcc:_victim@example.net?=',
  `a =?utf-8?B?${Buffer.from('x\r\nBcc: victim@example.net').toString('base64')}?= b`,
  `${'long '.repeat(60)}=?utf-8?Q?=0D=0AX?=`,
  '=? =?x?= Ünïcode =?utf-8?Q?y?=',
];

describe('a message', () => {
  it.each(HOSTILE.map((text) => ({ text })))(
    'has no other headers than its own with $text',
    async ({ text }) => {
      const headers = await headersOf(
        mail({ subject: text, headers: { 'X-Bugzilla-Product': text, 'X-Bugzilla-Keywords': text } }, text),
      );
      const names = headers
        .split('\r\n')
        .filter((line) => /^[^\s:]+:/.test(line))
        .map((line) => line.replace(/:.*/, ''));
      expect(names.sort()).toEqual(
        [
          ...['Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Subject', 'To'],
          ...['X-Bugzilla-Keywords', 'X-Bugzilla-Product'],
        ].sort(),
      );
      for (const line of headers.split('\r\n')) expect(line.length).toBeLessThan(998);
    },
  );

  it.each([...HOSTILE, 'A bug', 'if (a =? b)', '=?=?=?', '"quoted" =?utf-8?Q?a?='])(
    'is read as it was written, on one line, with the subject and headers %j',
    async (text) => {
      const headers = { 'X-Bugzilla-Target-Milestone': text, 'X-Bugzilla-Flags': text };
      const lines = await headersOf(mail({ subject: text, headers }));
      // The parser decodes no other headers than those that it knows.
      const readAs = async (name: string) => {
        const [, value] = new RegExp(`^${name}:((?:.|\\r\\n\\s)*)`, 'im').exec(lines) ?? [];
        return (await simpleParser(`Subject:${value}\r\n\r\n`)).subject;
      };
      const expected = text
        .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .toWellFormed()
        .trim();
      for (const name of ['Subject', 'X-Bugzilla-Target-Milestone', 'X-Bugzilla-Flags']) {
        expect(await readAs(name)).toBe(expected);
      }
    },
  );

  it.each([
    ['text and HTML', mail({ text: () => 'a\nb\r\nc\rd\n\n-- \nlast' })],
    ['text alone', mail({ hasHtml: false, text: () => 'a\nb\r\nc\rd\n\n-- \nlast' })],
    ['long lines', mail({ text: () => `${'x'.repeat(2_000)}\n`.repeat(50) })],
    ['what is not ASCII', mail({ text: () => 'Grüße 🪐\n'.repeat(5_000) })],
    ['line breaks at each place of a chunk', mail({ text: () => '\n'.repeat(70_000) })],
    ['a folded subject', mail({ subject: 'Ünï =?x?= '.repeat(60) })],
    ['an encoded word', mail({ subject: '=?utf-8?Q?=0ABcc:_victim@example.net?='.repeat(9) })],
  ])('with %s has lines that end with CR LF, and no other CR or LF', async (_, given) => {
    const bytes = (await rawMessage(given, SETTINGS)).toString('latin1');
    expect(bytes.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(bytes.endsWith('\r\n')).toBe(true);
    const tooLong = bytes.split('\r\n').filter(({ length }) => length >= 998);
    expect(tooLong).toEqual([]);
  });

  it('names its recipient by the address alone', async () => {
    expect(await headersOf(mail({}, 'Ann Other'))).toMatch(/^To: ann@example\.org$/m);
  });

  it.each([
    'victim@example.net, Ann',
    '"Ann" <victim@example.net>',
    'Ann <victim@example.net>',
    'Ann;victim@example.net',
    ')(victim@example.net',
    '',
  ])('goes to its recipient only, whose name is %j', async (name) => {
    const parsed = await simpleParser(await rawMessage(mail({}, name), SETTINGS));
    const to = parsed.to as AddressObject;
    expect(to.value.map(({ address }) => address)).toEqual(['ann@example.org']);
  });

  it('keeps what is not ASCII, and reads as it was written', async () => {
    const text = 'Grüße 🪐 望遠鏡\n\n> quoted\n'.repeat(3);
    const subject = `[Bug 1] ${'Ünïcode – “quoted” 🪐 '.repeat(8).trim()}`;
    const parsed = await simpleParser(
      await rawMessage(mail({ subject, text: () => text }), { ...SETTINGS, replyTo: 'reply@example.org' }),
    );
    expect([parsed.subject, parsed.text?.trimEnd()]).toEqual([subject, text.trimEnd()]);
    expect(parsed.replyTo?.value[0]?.address).toBe('reply@example.org');
  });

  it('has one sender, whatever is in the address', async () => {
    const parsed = await simpleParser(await rawMessage(mail(), { ...SETTINGS, from: 'a,b@example.org' }));
    expect(parsed.from?.value.length).toBe(1);
  });

  it('of a comment with markup has it as text', () => {
    expect(toHtml('<script>alert("1")</script> & \'')).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;',
    );
  });
});

describe('the text of a comment', () => {
  it.each([
    ['a line of 80 characters', `${'a'.repeat(70)} ${'b'.repeat(9)}`, `${'a'.repeat(70)}\n${'b'.repeat(9)}`],
    ['a line of 79 characters', `${'a'.repeat(70)} ${'b'.repeat(8)}`, `${'a'.repeat(70)} ${'b'.repeat(8)}`],
    ['a quoted line', `> ${'a '.repeat(60)}`, `> ${'a '.repeat(60).trim()}`],
    ['a long word', `see ${'x'.repeat(100)} there`, `see\n${'x'.repeat(100)}\nthere`],
    ['a tab', 'a\tb', 'a       b'],
    ['blanks at the end', 'a   \nb', 'a\nb'],
    ['indentation', `  a ${'b '.repeat(50)}`, /^ {2}a b[b ]+\nb/],
    ['nothing', '', ''],
  ])('with %s', (_, text, expected) => {
    const wrapped = wrapText(text);
    if (typeof expected === 'string') expect(wrapped).toBe(expected);
    else expect(wrapped).toMatch(expected);
  });

  it('of 65,535 characters is wrapped in time', () => {
    const started = process.cpuUsage();
    wrapText('x'.repeat(65_535));
    wrapText('x '.repeat(32_767));
    wrapText(`a${'\t'.repeat(65_000)}b`);
    wrapText(`${'x'.repeat(90)} `.repeat(720));
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

describe('the table of changes', () => {
  const table = (removed: string, added: string) =>
    changeTable([{ label: 'Summary', removed, added, name: 'short_desc', audience: 'everyone' }])
      .split('\n')
      .slice(2, -1);

  it('wraps values within their columns', () => {
    expect(table('', 'a whiteboard that is longer than the column')).toEqual([
      '            Summary|                            |a whiteboard that is longer',
      '                   |                            |than the column',
    ]);
  });

  it('cuts long words, counting characters', () => {
    expect(table('🪐'.repeat(28), 'x')).toEqual([
      `            Summary|${'🪐'.repeat(27)} |x`,
      '                   |🪐                           |',
    ]);
  });
});
