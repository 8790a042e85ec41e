import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consumer } from '../../functions/mail/consumer.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import {
  type EventTaker,
  type ReceivedEvent,
  startEventBridge,
} from '../../infra/local/events/event-bridge.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import type { EndpointGroup } from '../../lib/http/routes.ts';
import { afterFile } from './after-file.ts';
import { type Bugless, newTable, referenceCatalogue, serve } from './bugless.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';
import { type ConsumerHandler, loadConsumer } from './events.ts';
import { permissionLog } from './permission-log.ts';

/** A mail about an account. */
interface AccountMail {
  to: string;
  subject: string;
  text: string;
  /** the code for signing in, as a link has it; '' without one */
  code: string;
}

/** A running Bugless that lets users sign in by mail. */
export interface BuglessWithSignIn extends Bugless {
  /** the messages that the bus got, and that were not delivered yet */
  waiting: ReceivedEvent[];
  /** Decides about each message before the bus takes it; by default all are. */
  faults: { take: EventTaker };
  /** Hands messages to the function `mail`, by default those that wait. @returns the mails that it sent */
  deliver(messages?: readonly ReceivedEvent[], attempt?: number): Promise<AccountMail[]>;
  /** ids of the messages that the function left in the queue the last time */
  left: readonly string[];
  /** Asks for a sign-in. @returns the verifier */
  ask(login: string, headers?: Record<string, string>, browser?: string): Promise<string>;
  /** Signs in. @returns the secret of the session */
  signIn(login: string): Promise<string>;
}

/** Each function has the permissions on the table that it has when it is deployed. */
async function endpointWith({
  name,
  permissions,
}: Pick<EndpointGroup, 'name' | 'permissions'>): Promise<string> {
  const proxy = await startIamProxy(dynamoDbEndpoint(), permissions, permissionLog(name));
  afterFile(() => proxy.stop());
  return proxy.endpoint;
}

/** Starts Bugless with a bus for messages about accounts, and the function `mail`. @param isListening over HTTP */
export async function startBuglessWithSignIn(
  catalogue: CatalogueSource = referenceCatalogue(),
  settings: Record<string, string> = {},
  isListening = false,
): Promise<BuglessWithSignIn> {
  const cleanup = new AsyncDisposableStack();
  afterFile(() => cleanup.disposeAsync());
  const folder = mkdtempSync(join(tmpdir(), 'bugless-mails-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const waiting: ReceivedEvent[] = [];
  const faults: BuglessWithSignIn['faults'] = { take: () => undefined };
  const bus = await startEventBridge((event) => {
    const refused = faults.take(event);
    if (refused === undefined) waiting.push(event);
    return refused;
  }, cleanup);
  const table = await newTable(catalogue);
  const ofSignIn = { SIGN_IN_BY_MAIL: 'true', EVENT_BUS_NAME: 'test', EVENTS_ENDPOINT: bus, ...settings };
  const served = await serve(table, ofSignIn, endpointWith);
  const bugless = isListening ? await served.listen() : served;
  let handler: Promise<ConsumerHandler> | undefined;
  const openMail = async () =>
    loadConsumer('mail', {
      ...{ TABLE_NAME: table.name, DYNAMODB_ENDPOINT: await endpointWith(consumer) },
      ...{ MAIL_FROM: 'bugs@example.org', BASE_URL: `${bugless.url}/`, MAIL_FOLDER: folder },
      ...settings,
    });
  const read = new Set<string>();

  async function newMails(): Promise<AccountMail[]> {
    const names = (await readdir(folder)).filter((name) => !read.has(name)).toSorted();
    for (const name of names) read.add(name);
    return Promise.all(names.map(async (name) => mailOf(await readFile(join(folder, name), 'utf8'))));
  }

  const started: BuglessWithSignIn = {
    ...bugless,
    ...{ waiting, faults },
    left: [],
    async deliver(messages = waiting.splice(0), attempt = 1) {
      handler ??= openMail();
      const Records = messages.map((message) => ({
        ...{ messageId: message.id, receiptHandle: message.id, body: JSON.stringify(message) },
        attributes: { ApproximateReceiveCount: String(attempt) },
      }));
      const { batchItemFailures } = await (await handler)(
        { Records },
        { getRemainingTimeInMillis: () => 60_000 },
      );
      started.left = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      return newMails();
    },
    async ask(login, headers = {}, browser = '') {
      const verifier = `verifier ${randomUUID()}`;
      const body = { login, challenge: challengeOf(verifier), browser };
      const { status } = await bugless.call('POST', '/rest/bugless/sign_in', { body, headers });
      if (status !== 202) throw new Error(`The status is ${status}`);
      return verifier;
    },
    async signIn(login) {
      const verifier = await started.ask(login);
      const mail = (await started.deliver()).at(-1);
      const body = { code: mail?.code, verifier };
      return (await bugless.call('POST', '/rest/bugless/session', { body })).body.key;
    },
  };
  return started;
}

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('hex');

function mailOf(message: string): AccountMail {
  const [head = '', ...parts] = message.split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
  const bytes = parts
    .join('\r\n\r\n')
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const text = Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n');
  const code = /: ([A-Z0-9]{4})-([A-Z0-9]{4})$/m.exec(text);
  return {
    to: header('To'),
    subject: header('Subject'),
    text,
    code: code === null ? '' : `${code[1]}${code[2]}`,
  };
}
