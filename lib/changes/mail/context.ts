import { normalizeName } from '../../base/text.ts';
import { isVisible } from '../../bugs/permissions.ts';
import type { BugItem } from '../../bugs/schema.ts';
import { callerOf, isInGroup } from '../../people/caller.ts';
import type { UserItem } from '../../people/schema.ts';
import type { FlagTypeItem } from '../../products/schema.ts';
import type { EventRepositories, PublishedChange } from '../events/change.ts';
import { rolesOf } from './recipients.ts';
import { placesOfChange, readWatchers } from './watchers.ts';

/** What is sent of a mail to one user. */
export interface SentMail {
  recipient: UserItem;
  /** tells the mails of one change to one recipient apart; the same whenever they are made again */
  id: string;
  subject: string;
  headers: Readonly<Record<string, string>>;
  /** made when it is needed, from what the mails of a change share: they may be many, and long */
  text(): string;
  /** whether it has the text as HTML, too */
  hasHtml: boolean;
}

/** A mail about a change. functions/mail/README.md */
export interface Mail extends SentMail {
  /** id of who made the change; 0: the user does not exist any more */
  changer: number;
  type: 'new' | 'changed' | 'dep_changed' | 'request';
}

/** What a deployment decides about mails. */
export interface MailRules {
  insiderGroup: string;
  timetrackingGroup: string;
  /** address of this deployment, as `https://bugs.example.org/` */
  base: string;
  /** the link that turns the mails of a user off; absent: there is none, as without an address that is public */
  unsubscribeUrl?: ((user: Pick<UserItem, 'id'>) => string) | undefined;
}

/** A user with what he may see. */
export type MailViewer = ReturnType<ReturnType<typeof viewers>>;

export type MailContext = Awaited<ReturnType<typeof contextOf>>;

/** What the mails of a change are made from. */
export async function contextOf(change: PublishedChange, sources: EventRepositories, rules: MailRules) {
  const flagTypes = await readFlagTypes(change, sources);
  const roles = rolesOf(change);
  const users = await sources.users.mailedByLogins([
    change.who,
    ...[...roles.values()].map(({ login }) => login),
    ...change.record.flags.flatMap(({ type_id, before, after }) => {
      const type = flagTypes.get(type_id);
      if (type === undefined) return [];
      return [before?.setter, before?.requestee, after?.requestee, ...type.cc_list].flatMap(
        (login) => login ?? [],
      );
    }),
  ]);
  const withRoles = [...roles.keys()].flatMap((login) => users.get(login) ?? []);
  return {
    /** of those with a role, and of the component */
    watchers: await readWatchers(withRoles, placesOfChange(change), sources),
    ...{ change, rules },
    /** the types of the flags that the change changed, also of a product that the bug has left, by id */
    flagTypes,
    /** by normalized login: those with a role, and those whom flags concern */
    users,
    /** who made the change */
    changer: users.get(normalizeName(change.who)),
    viewerOf: viewers(rules),
  };
}

async function readFlagTypes(
  { product, record }: PublishedChange,
  { products }: EventRepositories,
): Promise<ReadonlyMap<number, FlagTypeItem>> {
  const ids = (record.removed['product'] ?? []).map(Number);
  const former = ids.length === 0 ? [] : await products.allWithParts(ids);
  const types = [...former.flatMap((one) => one.flagTypes), ...(product?.flagTypes ?? [])];
  return new Map(types.map((type) => [type.id, type]));
}

const viewers =
  ({ insiderGroup, timetrackingGroup }: MailRules) =>
  (user: UserItem) => {
    const caller = callerOf(user);
    return {
      user,
      isInsider: isInGroup(caller, insiderGroup),
      isTimeTracker: isInGroup(caller, timetrackingGroup),
      maySee: (bug: BugItem) => isVisible(bug, caller),
    };
  };

/** A user as mails name him: `Ann <ann@example.org>`. */
export function identityOf(login: string, users: ReadonlyMap<string, UserItem>): string {
  const { real_name = '' } = users.get(normalizeName(login)) ?? {};
  return real_name === '' ? login : `${real_name} <${login}>`;
}
