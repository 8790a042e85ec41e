import { normalizeName } from '../../base/text.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import type { BugItem } from '../../bugs/schema.ts';
import { type MailChange, type MailRole, NOTHING_OFF } from '../../people/mail-preferences.ts';
import { IMPORTED, type MailedUser, type UserItem } from '../../people/schema.ts';
import type { PublishedChange } from '../events/change.ts';
import type { Row } from './rows.ts';

/**
 * The part that a user has in a bug, as the header `X-Bugzilla-Reason` has it: what preferences call it; the sentence for who has it;
 * and whom somebody watches who gets mails for it.
 */
const ROLES = {
  Reporter: ['reporter', 'You reported the bug.', 'the reporter of the bug'],
  AssignedTo: ['assigned_to', 'You are the assignee for the bug.', 'the assignee of the bug'],
  QAcontact: ['qa_contact', 'You are the QA Contact for the bug.', 'the QA Contact of the bug'],
  CC: ['cc', 'You are on the CC list for the bug.', 'someone on the CC list of the bug'],
} as const satisfies Record<string, readonly [MailRole, own: string, watched: string]>;
export type Role = keyof typeof ROLES;
const ROLE_NAMES: readonly Role[] = ['Reporter', 'AssignedTo', 'QAcontact', 'CC'];

/** What somebody watches, as the header `X-Bugzilla-Watch-Reason` has it. */
type WatchReason = Role | 'Component-Watcher';

/** A user who may get a mail about a bug. */
export interface Recipient {
  user: MailedUser;
  /** the own ones in the bug */
  roles: ReadonlySet<Role>;
  /** those of users whom the user watches */
  watchedRoles: ReadonlySet<Role>;
  /** the logins of these users */
  watched: readonly string[];
  /** whether the user watches the component, or the product */
  watchesComponent: boolean;
}

/** Why somebody gets a mail. */
export interface Reasons {
  own: readonly Role[];
  watched: readonly WatchReason[];
  /** logins of users with a role who are watched */
  logins: readonly string[];
}

/** Logins with their roles. */
export type Roles = Map<string, { login: string; roles: Set<Role> }>;

function add(all: Roles, login: string, role: Role): void {
  if (login === '') return;
  const key = normalizeName(login);
  const known = all.get(key) ?? { login, roles: new Set() };
  known.roles.add(role);
  all.set(key, known);
}

/** Who has a role in a bug. */
export function rolesIn(bug: BugItem): Roles {
  const all: Roles = new Map();
  add(all, bug.reporter, 'Reporter');
  add(all, bug.assigned_to, 'AssignedTo');
  add(all, bug.qa_contact, 'QAcontact');
  for (const login of bug.cc) add(all, login, 'CC');
  return all;
}

/** Who had a role in a bug after a change, or lost it by the change. */
export function rolesOf({ before, after }: Pick<PublishedChange, 'before' | 'after'>): Roles {
  const all = rolesIn(after);
  for (const { login, roles } of rolesIn(before).values()) for (const role of roles) add(all, login, role);
  return all;
}

/**
 * Why a user wants to hear of a change: a mere change of the CC list interests the reporter, and those whom it adds or removes; and
 * who watches the reporter. functions/mail/README.md 1
 *
 * @param rows all of the change
 * @param hasMore whether it is new, or has comments
 * @param record of the change
 * @returns undefined: not at all
 */
export function reasonsFor(
  { user, roles, watchedRoles, watched, watchesComponent }: Recipient,
  rows: readonly Row[],
  hasMore: boolean,
  record: PublishedChange['record'],
): Reasons | undefined {
  const { mail_off = NOTHING_OFF } = user;
  const isOfAll = hasMore || rows.some(({ name }) => name !== 'cc');
  const isNamed = isAddedOrRemoved(user, record, ['cc']);
  const wanted = (all: ReadonlySet<Role>) =>
    ROLE_NAMES.filter(
      (role) =>
        all.has(role) &&
        (isOfAll || isNamed || role === 'Reporter') &&
        !mail_off.roles.includes(ROLES[role][0]),
    );
  const own = wanted(roles);
  const reasons: WatchReason[] = mail_off.roles.includes('watched' satisfies MailRole)
    ? []
    : [...wanted(watchedRoles), ...(watchesComponent && isOfAll ? (['Component-Watcher'] as const) : [])];
  if (own.length + reasons.length === 0) return undefined;
  return { own, watched: reasons, logins: watched };
}

const KINDS: Readonly<Record<string, MailChange>> = {
  bug_status: 'status',
  resolution: 'status',
  everconfirmed: 'status',
  cc: 'cc',
};

/**
 * The kinds of what a mail tells, for preferences: a new attachment is one of others, also with its comment.
 *
 * @param rows that it shows
 * @param comments that it shows
 */
export const kindsOf = (rows: readonly Row[], comments: readonly CommentItem[]): MailChange[] => [
  ...(comments.some(({ creates_attachment }) => creates_attachment === true)
    ? (['other'] as const)
    : comments.slice(0, 1).map(() => 'comments' as const)),
  ...rows.map(({ name }) => KINDS[name] ?? 'other'),
];

/** Whether a change gives a user a role in the bug, or takes one: Bugzilla's "added or removed", which no kind turns off. */
export const isAddedOrRemoved = (
  { login }: Pick<MailedUser, 'login'>,
  { removed, added }: PublishedChange['record'],
  roles: readonly string[] = ['assigned_to', 'qa_contact', 'cc'],
): boolean =>
  roles
    .flatMap((name) => [...(removed[name] ?? []), ...(added[name] ?? [])])
    .some((one) => normalizeName(String(one)) === normalizeName(login));

/** Whether a user wants a mail that tells of changes of these kinds. */
export const wantsChange = ({ mail_off = NOTHING_OFF }: MailedUser, kinds: readonly MailChange[]): boolean =>
  kinds.some((kind) => !mail_off.changes.includes(kind));

/** An address that is one address in a header, and ASCII, as Amazon SES requires. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** Of an address, in characters (RFC 5321). */
const MAX_ADDRESS = 254;

/** Whether a login is an address that mails can be sent to. */
export const isMailable = ({ login }: Pick<UserItem, 'login'>): boolean =>
  login.length <= MAX_ADDRESS && ADDRESS.test(login);

/**
 * Whether a user gets mails: neither disabled nor switched off, and with a login that is an address. Imported users without
 * an API key got Bugzilla's mails, and get these.
 */
export const isMailed = ({ login, disabled = IMPORTED, email_enabled = true }: UserItem): boolean =>
  disabled === IMPORTED && email_enabled && isMailable({ login });

/** Why somebody gets a mail, as its end. */
export const signature = ({ own, watched }: Reasons): string => {
  const watchedAs = (reason: WatchReason) =>
    reason === 'Component-Watcher' ? 'the component for the bug' : ROLES[reason][2];
  const sentences = [
    ...own.map((role) => ROLES[role][1]),
    ...watched.map((reason) => `You are watching ${watchedAs(reason)}.`),
  ];
  return `-- \nYou are receiving this mail because:\n${sentences.map((one) => `${one}\n`).join('')}`;
};
