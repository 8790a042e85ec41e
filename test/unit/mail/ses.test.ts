import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { simpleParser } from 'mailparser';
import { describe, expect, it, vi } from 'vitest';
import { listen } from '../../../infra/local/listen.ts';
import { LOCAL_CREDENTIALS } from '../../../infra/local-credentials.ts';
import type { Mail } from '../../../lib/mail/context.ts';
import { Undeliverable } from '../../../lib/mail/deliver.ts';
import { sesSender } from '../../../lib/mail/senders.ts';
import { afterFile } from '../../support/after-file.ts';

const MAIL: Mail = {
  ...{
    recipient: { id: 1, login: 'ann@example.org', real_name: 'Ann', groups: [] },
    type: 'request',
    id: 'request_0',
  },
  ...{ subject: '[Bug 1] Ä', headers: { 'X-Bugzilla-ID': '1' }, text: () => 'Text', hasHtml: false },
};

interface SentMessage {
  path: string | undefined;
  FromEmailAddress: string;
  Destination: { ToAddresses: string[] };
  Content: { Raw: { Data: string } };
}

/** A server that answers as Amazon SES: with these errors first, and then with success. */
async function startSes(errors: readonly { status: number; name: string; message?: string }[]) {
  const left = [...errors];
  const received: SentMessage[] = [];
  const server = createServer(async (request, response) => {
    received.push({ ...((await json(request)) as SentMessage), path: request.url });
    const error = left.shift();
    response.writeHead(error?.status ?? 200, {
      'content-type': 'application/json',
      ...(error === undefined ? {} : { 'x-amzn-errortype': error.name }),
    });
    response.end(
      JSON.stringify(error === undefined ? { MessageId: '1' } : { message: error.message ?? error.name }),
    );
  });
  const { url, stop } = await listen(server);
  afterFile(stop);
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', url);
  for (const [name, value] of Object.entries(LOCAL_CREDENTIALS)) vi.stubEnv(name, value);
  afterFile(() => {
    vi.unstubAllEnvs();
  });
  const settings = {
    MAIL_FROM: 'bugs@example.org',
    MAIL_PER_HOUR: 10,
    BASE_URL: 'https://bugs.example.org/',
  };
  const send = sesSender({
    ...settings,
    MAIL_REPLY_TO: undefined,
    MAIL_QUEUE_URL: undefined,
    MAIL_FOLDER: undefined,
  });
  return { received, send };
}

describe('Amazon SES', () => {
  it('gets the message, its sender and its recipient', async () => {
    const { received, send } = await startSes([]);
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
    const { received, send } = await startSes([
      { status: 429, name: 'TooManyRequestsException' },
      { status: 429, name: 'TooManyRequestsException' },
    ]);
    await send(MAIL);
    expect(received.length).toBe(3);
  });

  it.each([
    { status: 400, name: 'MessageRejected', isFinal: true },
    { status: 400, name: 'BadRequestException', isFinal: true },
    { status: 400, name: 'MessageRejected', message: 'Email address is not verified.', isFinal: false },
    { status: 400, name: 'BadRequestException', message: 'Configuration set does not exist', isFinal: false },
    { status: 400, name: 'AccountSuspendedException', isFinal: false },
    { status: 400, name: 'MailFromDomainNotVerifiedException', isFinal: false },
    { status: 400, name: 'SendingPausedException', isFinal: false },
  ])('that answers $name is asked again: not $isFinal', async ({ isFinal, ...answer }) => {
    const { send } = await startSes([answer]);
    const error = await send(MAIL).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect([error instanceof Error, error instanceof Undeliverable]).toEqual([true, isFinal]);
  });
});
