import type { UserItem } from '../../people/schema.ts';

/** What the mails about an account have of the deployment. */
interface Deployment {
  /** its address, as `https://bugs.example.org/` */
  base: string;
  /** whether it has pages, which links lead to */
  hasPages: boolean;
}

/** A mail about an account, without its recipient. */
export interface AccountText {
  subject: string;
  text: string;
}

/** Characters of the challenge in a link, which tell the requests of a browser apart. */
const SHOWN_CHALLENGE_LENGTH = 12;

const inGroups = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** The address that offers to sign in. The fragment is not sent to the service. */
export const signInLink = (base: string, code: string, challenge: string): string =>
  `${base}#sign-in=${code}.${challenge.slice(0, SHOWN_CHALLENGE_LENGTH)}`;

/**
 * The mail with a code for signing in. functions/account/README.md 1
 *
 * @param until when the code ends: `hh:mm`, in UTC
 * @param source address that asked for it
 */
export function signInText(
  { login }: UserItem,
  { code, challenge, source, until }: { code: string; challenge: string; source: string; until: string },
  { base, hasPages }: Deployment,
): AccountText {
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
export function newKeyText(
  { login }: UserItem,
  description: string,
  { base, hasPages }: Deployment,
): AccountText {
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
export const invitationText = ({ login }: UserItem, { base }: Deployment): AccountText => ({
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
