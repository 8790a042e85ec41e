import { normalizeName } from '../../base/text.ts';
import type { MailedUser } from '../../people/schema.ts';
import type { EventRepositories, PublishedChange } from '../events/change.ts';
import { targetName } from '../watches/repository.ts';
import type { WatchedTarget } from '../watches/schema.ts';
import { MAX_MAILS_A_CHANGE } from './deliver.ts';
import type { Recipient, Role, Roles } from './recipients.ts';

/** Who watches people and components of bugs. */
export type Watchers = Awaited<ReturnType<typeof readWatchers>>;

/**
 * Reads who watches users, products and components: two reads of many items, and one more of users where there are some.
 *
 * @param users with a role in the bugs
 */
export async function readWatchers(
  users: Iterable<MailedUser>,
  places: readonly WatchedTarget[],
  sources: EventRepositories,
) {
  const people = Array.from(users, ({ id }): WatchedTarget => ({ kind: 'user', id }));
  const watchers = await sources.watches.watchersOf([...people, ...places]);
  const ids = new Map([...watchers].map(([name, { user_ids }]) => [name, user_ids]));
  const all = [...new Set([...ids.values()].flat())];
  const found = all.length === 0 ? [] : await sources.users.mailedByIds(all.slice(0, MAX_MAILS_A_CHANGE));
  return {
    /** ids, by targetName */
    ids,
    /** by id */
    users: new Map(found.map((user) => [user.id, user])),
    /** whether there are more than a change has mails */
    isCut: all.length > MAX_MAILS_A_CHANGE,
  };
}

/** The product and the component of a bug. */
export const placesOf = (bug: Readonly<{ product_id: number; component_id: number }>): WatchedTarget[] => [
  { kind: 'product', id: bug.product_id },
  { kind: 'component', id: bug.component_id },
];

/** Those of the bug of a change, with those that it left by the change. */
export function placesOfChange({
  bug,
  record: { removed },
}: Pick<PublishedChange, 'bug' | 'record'>): WatchedTarget[] {
  const former = (kind: 'product' | 'component') =>
    (removed[kind] ?? []).flatMap((id): WatchedTarget[] => (typeof id === 'number' ? [{ kind, id }] : []));
  return [...placesOf(bug), ...former('product'), ...former('component')];
}

/** A recipient whose reasons are collected. */
interface Collected extends Recipient {
  watchedRoles: Set<Role>;
  watched: string[];
}

/**
 * Who may get a mail about a bug, each once: those with a role, then those who watch them, or the component. As in Bugzilla, it
 * does not matter whether who is watched gets mails.
 *
 * @param users with a role, by normalized login
 * @param places that the bug is in, or was
 */
export function recipientsOf(
  roles: Roles,
  users: ReadonlyMap<string, MailedUser>,
  watchers: Watchers,
  places: readonly WatchedTarget[],
): Iterable<Recipient> {
  const all = new Map<number, Collected>();
  const add = (user: MailedUser, own: ReadonlySet<Role> = new Set()): Collected => {
    const known = all.get(user.id) ?? {
      ...{ user, roles: own, watchedRoles: new Set(), watched: [] },
      watchesComponent: false,
    };
    all.set(user.id, known);
    return known;
  };
  for (const { login, roles: own } of roles.values()) {
    const user = users.get(normalizeName(login));
    if (user !== undefined) add(user, own);
  }
  const watchersOf = (target: WatchedTarget): Collected[] =>
    (watchers.ids.get(targetName(target)) ?? []).flatMap((id) => {
      const user = watchers.users.get(id);
      return user === undefined ? [] : [add(user)];
    });
  for (const { user, roles: own } of [...all.values()]) {
    for (const watcher of watchersOf({ kind: 'user', id: user.id })) {
      for (const role of own) watcher.watchedRoles.add(role);
      watcher.watched.push(user.login);
    }
  }
  for (const place of places) for (const watcher of watchersOf(place)) watcher.watchesComponent = true;
  return all.values();
}
