import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { vi } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { afterFile } from './after-file.ts';

/** A message as Amazon SES gets it. */
interface SentMessage {
  path: string | undefined;
  FromEmailAddress: string;
  Destination: { ToAddresses: string[] };
  Content: { Raw: { Data: string } };
}

/** An error of Amazon SES; `lost`: it takes the message, and its response is lost. */
export type SesAnswer = { status: number; name: string; message?: string } | 'lost';

/** What Amazon SES answers in its sandbox. It names the recipient. */
export const SANDBOX = {
  status: 400,
  name: 'MessageRejected',
  message:
    'Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ann@example.com',
};

/**
 * A server that answers as Amazon SES, and is that of this process.
 *
 * @param answers those of the next messages; then they are taken
 */
export async function startSes(answers: readonly SesAnswer[] = []) {
  const left = [...answers];
  const received: SentMessage[] = [];
  const faults: { next: () => SesAnswer | undefined } = { next: () => left.shift() };
  const server = createServer(async (request, response) => {
    received.push({ ...((await json(request)) as SentMessage), path: request.url });
    const answer = faults.next();
    if (answer === 'lost') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer?.status ?? 200, {
      'content-type': 'application/json',
      ...(answer === undefined ? {} : { 'x-amzn-errortype': answer.name }),
    });
    response.end(
      JSON.stringify(answer === undefined ? { MessageId: '1' } : { message: answer.message ?? answer.name }),
    );
  });
  const { url, stop } = await listen(server);
  afterFile(stop);
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', url);
  for (const [name, value] of Object.entries(LOCAL_CREDENTIALS)) vi.stubEnv(name, value);
  afterFile(() => {
    vi.unstubAllEnvs();
  });
  return { received, faults, stop };
}
