import { normalizeName } from '../../lib/base/text.ts';

/** A group that gives rights here, with the logins of users who would get it. */
export interface RightsGroup {
  group: string;
  users: string[];
}

/** Who is in groups of a Bugzilla that give rights here: these are given to imported users only where the operator says so. */
export class RightsList {
  readonly #members = new Map<string, string[]>();
  readonly #givesRights: (group: string) => boolean;
  /** whether they are given */
  readonly isGranted: boolean;

  constructor(givesRights: (group: string) => boolean, isGranted: boolean) {
    this.#givesRights = givesRights;
    this.isGranted = isGranted;
  }

  /**
   * The groups that a user gets, of those in the Bugzilla.
   *
   * @param before those that the last import gave; they are not withheld
   */
  granted(login: string, groups: readonly string[], before: readonly string[]): string[] {
    const given = new Set(before.map(normalizeName));
    const withRights = groups.filter((name) => this.#givesRights(name) && !given.has(normalizeName(name)));
    for (const name of withRights) this.#members.set(name, [...(this.#members.get(name) ?? []), login]);
    return this.isGranted ? [...groups] : groups.filter((name) => !withRights.includes(name));
  }

  /** By the names of the groups. */
  groups(): RightsGroup[] {
    const sorted = [...this.#members].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([group, users]) => ({ group, users: users.toSorted() }));
  }
}
