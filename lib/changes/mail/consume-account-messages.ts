import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import { normalizeName } from '../../base/text.ts';
import type { UserRepository } from '../../people/repository.ts';
import { signInProblem, type UserItem } from '../../people/schema.ts';
import { CODE_VALID_SECONDS, type SignInRepository } from '../../people/sign-in-repository.ts';
import { withDeadline } from '../../table/retry.ts';
import type { DeliveryLog } from '../events/delivery-log.ts';
import { INTERNAL_TYPES } from '../events/event.ts';
import { type AccountMessage, accountMessage } from './account-messages.ts';
import { consumeEach, type MessageOutcome, type QueueMessage } from './consume-messages.ts';
import type { SentMail } from './context.ts';
import { Undeliverable } from './deliver.ts';
import { isMailable } from './recipients.ts';

/** A message of the queue: what the rule of the bus sends there. */
const body = z.object({
  id: z.string(),
  /** when the bus got it: ISO 8601 */
  time: z.string(),
  detail: accountMessage,
});

/** Whether a message is about an account. One that cannot be read is not. */
export function isAccountMessage({ body: text }: Pick<QueueMessage, 'body'>): boolean {
  try {
    return z.object({ 'detail-type': z.literal(INTERNAL_TYPES.account) }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** What mails about accounts are made from, and sent with. */
export interface AccountMailServices {
  users: Pick<UserRepository, 'byLogins'>;
  signIns: Pick<SignInRepository, 'count' | 'countInvitation' | 'store'>;
  /** @throws Undeliverable, NotSent; after other errors it is not known whether the mail was sent */
  send(mail: SentMail): Promise<void>;
  now: () => Date;
  /** milliseconds that a message takes at most in the table */
  timeoutMs: number;
  /** Keeps a message in the queue for so many seconds before it is received again. */
  hideAccountMessage(receiptHandle: string, seconds: number): Promise<void>;
  log: DeliveryLog;
  /** whether who was imported, and has no key, signs in by mail */
  allowsImported: boolean;
  /** address of this deployment, as `https://bugs.example.org/` */
  base: string;
  /** whether the deployment has pages, which links lead to */
  hasPages: boolean;
  /** Is told the link of a mail, on a developer's machine. */
  announceLink(login: string, link: string): void;
}

/** A request that is older is dropped: its code would end before it is read. */
const MAX_MESSAGE_AGE_MS = 10 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
/** Letters and digits that are not taken for others. */
const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 8;

const newCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');

/**
 * Mails what users are told about their accounts. What cannot be sent now stays in the queue. functions/account/README.md 1
 *
 * @param isLate whether the time of the function is nearly over
 * @returns the ids of the messages that stay
 */
export const consumeAccountMessages = (
  messages: readonly QueueMessage[],
  isLate: () => boolean,
  services: AccountMailServices,
): Promise<string[]> => {
  const { log, hideAccountMessage: hide } = services;
  return consumeEach(messages, { log, hide }, async (message, context) => {
    if (isLate()) return { seconds: 0 };
    return consume(message, services).catch((error: unknown) => {
      const isFinal = error instanceof Undeliverable;
      log.count(isFinal ? 'MailsUndeliverable' : 'MailsRefused');
      log.failed('A mail about an account could not be sent', context, error);
      return isFinal ? 'done' : {};
    });
  });
};

async function consume({ body: text }: QueueMessage, services: AccountMailServices): Promise<MessageOutcome> {
  const read = body.safeParse(JSON.parse(text));
  // A message that cannot be read will not be readable later.
  if (!read.success) throw new Undeliverable('The message cannot be read');
  const { id, time, detail } = read.data;
  const isRecent = Math.abs(services.now().getTime() - Date.parse(time)) <= MAX_MESSAGE_AGE_MS;
  if (detail.kind === 'sign-in' && !isRecent) {
    services.log.count('SignInsOverLimit');
    return 'done';
  }
  const prepared = await withDeadline(services.timeoutMs, () => prepare(detail, id, services));
  if (prepared === 'done' || !('user' in prepared)) return prepared;
  const { user, text: mail } = prepared;
  await services.send({
    id: `${detail.kind}-${id}`,
    recipient: user,
    subject: mail.subject,
    headers: { 'X-Bugzilla-Type': 'admin', 'Auto-Submitted': 'auto-generated' },
    text: () => mail.text,
    hasHtml: false,
  });
  services.log.count('MailsSent');
  return 'done';
}

type Prepared = MessageOutcome | { user: UserItem; text: ReturnType<typeof invitationText> };

/** Makes a mail, where the account may have it. */
async function prepare(
  message: AccountMessage,
  id: string,
  services: AccountMailServices,
): Promise<Prepared> {
  const { login } = message;
  const user = (await services.users.byLogins([login])).get(normalizeName(login));
  if (user === undefined || !isMailable(user)) return 'done';
  if (signInProblem(user, services.allowsImported) !== undefined) return 'done';
  switch (message.kind) {
    case 'key':
      return { user, text: newKeyText(user, message.description, services) };
    case 'invitation': {
      const isCounted = await services.signIns.countInvitation();
      const untilNextHour = HOUR_MS - (services.now().getTime() % HOUR_MS);
      if (!isCounted) return { seconds: Math.ceil(untilNextHour / 1_000) };
      return { user, text: invitationText(user, services) };
    }
    case 'sign-in':
      return prepareSignIn(user, message, id, services);
  }
}

async function prepareSignIn(
  user: UserItem,
  { challenge, source, browser }: Extract<AccountMessage, { kind: 'sign-in' }>,
  message: string,
  services: AccountMailServices,
): Promise<Prepared> {
  const { login } = user;
  const asked = { user: user.id, login, challenge, source, browser, message };
  // Also a message that came back: whether it was counted is not known.
  const counted = await services.signIns.count(asked);
  if (counted === 'all') services.log.count('SignInsOverLimit');
  if (counted !== 'counted') return 'done';
  const code = newCode();
  if (!(await services.signIns.store(asked, code))) return 'done';
  const until = new Date(services.now().getTime() + CODE_VALID_SECONDS * 1_000).toISOString().slice(11, 16);
  services.announceLink(login, signInLink(services.base, code, challenge));
  return { user, text: signInText(user, { code, challenge, source, until }, services) };
}

/** What the mails about an account have of the deployment. */
type Deployment = Pick<AccountMailServices, 'base' | 'hasPages'>;

/** Characters of the challenge in a link, which tell the requests of a browser apart. */
const SHOWN_CHALLENGE_LENGTH = 12;

const inGroups = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** The address that offers to sign in. The fragment is not sent to the service. */
const signInLink = (base: string, code: string, challenge: string): string =>
  `${base}#sign-in=${code}.${challenge.slice(0, SHOWN_CHALLENGE_LENGTH)}`;

/**
 * The mail with a code for signing in. functions/account/README.md 1
 *
 * @param until when the code ends: `hh:mm`, in UTC
 * @param source address that asked for it
 */
function signInText(
  { login }: UserItem,
  { code, challenge, source, until }: { code: string; challenge: string; source: string; until: string },
  { base, hasPages }: Deployment,
) {
  const link = hasPages
    ? ['Open this link in the browser in which you asked for it:', '', signInLink(base, code, challenge), '']
    : [];
  return {
    subject: 'Sign in to Bugless',
    text: lines(
      `Somebody, at the address ${source}, asked to sign in to ${base} as ${login}.`,
      '',
      ...link,
      `${hasPages ? 'Or enter' : 'Enter'} this code there: ${inGroups(code)}`,
      '',
      `It is valid until ${until} UTC, and can be used once. Do not give it to anybody.`,
      'If it was not you who asked, you need to do nothing: without this mail, no one is signed in.',
    ),
  };
}

/** The mail that says that an API key was made. */
function newKeyText({ login }: UserItem, description: string, { base, hasPages }: Deployment) {
  const pages = hasPages
    ? [`Your keys are listed, and can be revoked, at ${base}userprefs.cgi?tab=apikey`]
    : [];
  return {
    subject: 'A new API key',
    text: lines(
      `A new API key was made for your account ${login} at ${base}.`,
      '',
      `Its description: ${description === '' ? '(none)' : description}`,
      '',
      'If it was not you who made it, revoke it, and tell your administrator.',
      ...pages,
    ),
  };
}

/** The mail that invites who has no API key. */
const invitationText = ({ login }: UserItem, { base }: Deployment) => ({
  subject: 'Your account at Bugless',
  text: lines(
    `You have an account at ${base}, with the login ${login}.`,
    '',
    'You need no password: enter your login there, and you get a mail with a link that signs you in.',
    '',
    base,
  ),
});

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
