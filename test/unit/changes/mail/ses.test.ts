import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../../lib/changes/mail/context.ts';
import { NotSent, Undeliverable } from '../../../../lib/changes/mail/deliver.ts';
import { sesSender } from '../../../../lib/changes/mail/senders.ts';
import { SANDBOX, type SesAnswer, startSes } from '../../../support/simulated-ses.ts';

const MAIL: Mail = {
  ...{
    recipient: { id: 1, login: 'ann@example.org', real_name: 'Ann', groups: [] },
    changer: 2,
    type: 'request',
    id: 'request_0',
  },
  ...{ subject: '[Bug 1] Ä', headers: { 'X-Bugzilla-ID': '1' }, text: () => 'Text', hasHtml: false },
};

/** Amazon SES with these answers first, and what sends by it. */
async function start(answers: readonly SesAnswer[]) {
  const ses = await startSes(answers);
  const settings = {
    MAIL_FROM: 'bugs@example.org',
    MAIL_PER_HOUR: 10,
    SIGN_IN_PER_HOUR: 10,
    SIGN_IN_PER_SOURCE: 10,
    BASE_URL: 'https://bugs.example.org/',
  };
  const absent = {
    MAIL_REPLY_TO: undefined,
    MAIL_QUEUE_URL: undefined,
    ACCOUNT_QUEUE_URL: undefined,
    MAIL_FOLDER: undefined,
  };
  return { ...ses, send: sesSender({ ...settings, ...absent }) };
}

/** What sending ends with. */
const outcomeOf = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => 'sent',
    (error: unknown) => {
      if (error instanceof Undeliverable) return 'undeliverable';
      return error instanceof NotSent ? 'not sent' : 'unknown';
    },
  );

describe('Amazon SES', () => {
  it('gets the message, its sender and its recipient', async () => {
    const { received, send } = await start([]);
    await send(MAIL);
    expect(received).toMatchObject([
      {
        ...{ path: '/v2/email/outbound-emails', FromEmailAddress: 'bugs@example.org' },
        Destination: { ToAddresses: ['ann@example.org'] },
      },
    ]);
    const parsed = await simpleParser(Buffer.from(received[0]?.Content.Raw.Data ?? '', 'base64'));
    expect([parsed.subject, parsed.text?.trim()]).toEqual(['[Bug 1] Ä', 'Text']);
  });

  it('gets a message again that came too fast', async () => {
    const { received, send } = await start([
      { status: 429, name: 'TooManyRequestsException' },
      { status: 429, name: 'TooManyRequestsException' },
    ]);
    await send(MAIL);
    expect(received.length).toBe(3);
  });

  it.each([
    { answer: { status: 400, name: 'MessageRejected' }, expected: 'undeliverable' },
    { answer: { status: 400, name: 'BadRequestException' }, expected: 'undeliverable' },
    { answer: SANDBOX, expected: 'not sent' },
    {
      answer: { status: 400, name: 'BadRequestException', message: 'Configuration set does not exist' },
      expected: 'not sent',
    },
    { answer: { status: 400, name: 'AccountSuspendedException' }, expected: 'not sent' },
    { answer: { status: 400, name: 'MailFromDomainNotVerifiedException' }, expected: 'not sent' },
    { answer: { status: 400, name: 'SendingPausedException' }, expected: 'not sent' },
    { answer: { status: 403, name: 'AccessDeniedException' }, expected: 'not sent' },
    {
      answer: { status: 429, name: 'TooManyRequestsException', message: 'Daily message quota exceeded.' },
      expected: 'not sent',
    },
    { answer: { status: 503, name: 'ServiceUnavailableException' }, expected: 'not sent' },
    { answer: 'lost' as const, expected: 'unknown' },
  ])('that answers $answer gets a message once, which is $expected', async ({ answer, expected }) => {
    const { send, received } = await start([answer]);
    expect([await outcomeOf(send(MAIL)), received.length]).toEqual([expected, 1]);
  });

  it('that cannot be connected with has no message', async () => {
    const { send, stop } = await start([]);
    await stop();
    expect(await outcomeOf(send(MAIL))).toBe('not sent');
  });

  it('does not get a message that cannot be made', async () => {
    const { send, received } = await start([]);
    const text = () => {
      throw new TypeError('no text');
    };
    expect([await outcomeOf(send({ ...MAIL, text })), received]).toEqual(['not sent', []]);
  });
});
