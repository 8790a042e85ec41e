import * as z from 'zod/mini';
import { extensibleObject } from '../table/extensible-object.ts';

/** The roles in a bug for which a user may want no mails; `watched`: of people and components that the user watches. */
export const MAIL_ROLES = ['reporter', 'assigned_to', 'qa_contact', 'cc', 'watched'] as const;
export type MailRole = (typeof MAIL_ROLES)[number];

/** The kinds of changes of which a user may want no mails. functions/mail/README.md 1 */
export const MAIL_CHANGES = ['new', 'comments', 'status', 'cc', 'other'] as const;
export type MailChange = (typeof MAIL_CHANGES)[number];

/** Of what a user wants no mails: what is not named here is mailed, also what a later version adds. */
export const mailOff = extensibleObject({
  roles: z.array(z.string()),
  changes: z.array(z.string()),
});
export type MailOff = Readonly<z.infer<typeof mailOff>>;

export const NOTHING_OFF: MailOff = { roles: [], changes: [] };

/** Preferences as they are stored: in one order, each value once; undefined: all is mailed. */
export function storedMailOff({ roles, changes, ...others }: MailOff): MailOff | undefined {
  const stored = {
    ...others,
    roles: MAIL_ROLES.filter((one) => roles.includes(one)),
    changes: MAIL_CHANGES.filter((one) => changes.includes(one)),
  };
  return Object.values(stored).every((all) => Array.isArray(all) && all.length === 0) ? undefined : stored;
}
