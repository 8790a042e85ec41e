import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { CatalogueError } from '../../../lib/catalogue/errors.ts';
import { validateCatalogue } from '../../../lib/catalogue/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { normalizeName } from '../../../lib/text.ts';
import { accountRepository } from '../../../lib/users/account-repository.ts';
import { type Bugzilla, BugzillaError, type Query } from './bugzilla-client.ts';
import type { Findings } from './problems.ts';
import { groupsAnswer, type SourceGroup, usersAnswer, whoamiAnswer } from './source-schema.ts';

/** The groups of a Bugzilla, put into the table as products and bugs name them. */
export class SourceGroups {
  readonly #table: Table;
  readonly #bugzilla: Bugzilla;
  readonly #findings: Findings;
  readonly #byId = new Map<number, SourceGroup>();
  /** by folded name: those that are in the table, or soon will be */
  readonly #there = new Map<string, Promise<void>>();
  #mayAsk: boolean;

  constructor(table: Table, bugzilla: Bugzilla, findings: Findings) {
    this.#table = table;
    this.#bugzilla = bugzilla;
    this.#findings = findings;
    this.#mayAsk = bugzilla.hasKey;
  }

  /** Learns the groups that the API key's owner is in: those anybody may ask for. */
  async learnOwn(): Promise<void> {
    if (!this.#bugzilla.hasKey) return;
    const answer = await unlessRefused(async () => {
      const { id } = await this.#bugzilla.get('whoami', whoamiAnswer);
      return this.#bugzilla.get('user', usersAnswer, { query: { ids: id, include_fields: 'groups' } });
    });
    for (const group of answer?.users.flatMap(({ groups }) => groups) ?? []) this.#byId.set(group.id, group);
  }

  /** Sees to it that groups with these ids are in the table; gives what they are called there. */
  async withIds(ids: number[]): Promise<(id: number) => string> {
    const unknown = ids.filter((id) => !this.#byId.has(id));
    if (unknown.length > 0) await this.#ask({ ids: unknown });
    for (const id of unknown) {
      if (this.#byId.has(id)) continue;
      const name = `bugzilla-group-${id}`;
      this.#byId.set(id, { id, name, description: `Group ${id} of ${this.#bugzilla.url}` });
      const why = `its name is not for the API key; here it is called ${name}`;
      this.#findings.add({ kind: 'groups not known as in Bugzilla', where: `group ${id}`, why });
    }
    const nameOf = (id: number) => this.#byId.get(id)?.name ?? '';
    for (const id of ids) await this.withName(nameOf(id));
    return nameOf;
  }

  /** Sees to it that the group with a name is in the table, if such a group can be. */
  withName(name: string): Promise<void> {
    const there = this.#there.get(normalizeName(name)) ?? this.#put(name);
    this.#there.set(normalizeName(name), there);
    return there;
  }

  async #put(name: string): Promise<void> {
    const isThat = (group: SourceGroup) => normalizeName(group.name) === normalizeName(name);
    if (![...this.#byId.values()].some(isThat)) {
      const [existing] = await accountRepository(this.#table).groups([name]);
      if (existing !== undefined) return;
      await this.#ask({ names: name });
    }
    const known = [...this.#byId.values()].find(isThat);
    const isApplied = known !== undefined && (await this.#apply(known));
    if (isApplied || !(await this.#apply({ name }))) return;
    const why =
      'its id is not visible to the API key, or belongs to another group here: it got the next free id';
    this.#findings.add({ kind: 'groups not known as in Bugzilla', where: `group '${name}'`, why });
  }

  /** @returns false when the group is not valid here */
  async #apply(group: object): Promise<boolean> {
    const validated = validateCatalogue({ groups: [group] });
    if ('problems' in validated) return false;
    try {
      await applyCatalogue(this.#table, validated.catalogue);
      return true;
    } catch (error) {
      if (error instanceof CatalogueError) return false;
      throw error;
    }
  }

  async #ask(query: Query): Promise<void> {
    if (!this.#mayAsk) return;
    const answer = await unlessRefused(() => this.#bugzilla.get('group', groupsAnswer, { query }));
    // Who may not ask for one group may not ask for any.
    this.#mayAsk = answer !== undefined;
    for (const group of answer?.groups ?? []) this.#byId.set(group.id, group);
  }
}

async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof BugzillaError) return undefined;
    throw error;
  }
}
