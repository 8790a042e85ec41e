import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { type Caller, isInGroup } from '../../people/caller.ts';
import { membersOf } from '../../people/find-users.ts';
import type { UserRepository } from '../../people/repository.ts';

/** The users and groups that the conditions of a search name, looked up when all conditions are known. */
export class NamedPeople {
  readonly #caller: Caller;
  readonly #members = new Map<string, Set<string>>();
  readonly #logins = new Set<string>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** The normalized logins of a group's members, to be known after `lookUp`. */
  membersOf(group: string): ReadonlySet<string> {
    if (!isInGroup(this.#caller, group)) throw errors.groupHidden(group);
    const members = this.#members.get(normalizeName(group)) ?? new Set();
    this.#members.set(normalizeName(group), members);
    return members;
  }

  /** Says that a user has to exist. */
  require(login: string): void {
    this.#logins.add(login);
  }

  async lookUp(users: UserRepository): Promise<void> {
    const logins = [...this.#logins];
    const [known, members] = await Promise.all([
      users.byLogins(logins),
      this.#members.size === 0 ? undefined : membersOf(users, [...this.#members.keys()]),
    ]);
    const unknown = logins.find((login) => !known.has(normalizeName(login)));
    if (unknown !== undefined) throw errors.ccUnknown(unknown);
    for (const [group, found] of members ?? []) {
      for (const { login } of found) this.#members.get(group)?.add(normalizeName(login));
    }
  }
}
