import { planCatalogue } from '../../../lib/catalogue/apply.ts';
import { validateCatalogue } from '../../../lib/catalogue/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { normalizeName } from '../../../lib/text.ts';
import { groupRepository } from '../../../lib/users/group-repository.ts';
import { type Bugzilla, BugzillaError, type Query } from './bugzilla-client.ts';
import type { ProblemList } from './problems.ts';
import { groupsResponse, type SourceGroup, usersResponse, whoamiResponse } from './source-schema.ts';

/** Copies the groups of a Bugzilla that products and bugs refer to. */
export class SourceGroups {
  readonly #table: Table;
  readonly #bugzilla: Bugzilla;
  readonly #problems: ProblemList;
  readonly #byId = new Map<number, SourceGroup>();
  /** by normalized name; each group is created once */
  readonly #created = new Map<string, Promise<void>>();
  #canRead: boolean;

  constructor(table: Table, bugzilla: Bugzilla, problems: ProblemList) {
    this.#table = table;
    this.#bugzilla = bugzilla;
    this.#problems = problems;
    this.#canRead = bugzilla.hasKey;
  }

  /** Reads the groups of the owner of the API key, which need no further rights. */
  async readOwnGroups(): Promise<void> {
    if (!this.#bugzilla.hasKey) return;
    const response = await unlessDenied(async () => {
      const { id } = await this.#bugzilla.get('whoami', whoamiResponse);
      return this.#bugzilla.get('user', usersResponse, { query: { ids: id, include_fields: 'groups' } });
    });
    for (const group of response?.users.flatMap(({ groups }) => groups) ?? [])
      this.#byId.set(group.id, group);
  }

  /** Creates groups by their ids in Bugzilla. @returns their names in the table */
  async ensureIds(ids: number[]): Promise<(id: number) => string> {
    const unknown = ids.filter((id) => !this.#byId.has(id));
    if (unknown.length > 0) await this.#request({ ids: unknown });
    for (const id of unknown) {
      if (this.#byId.has(id)) continue;
      const name = `bugzilla-group-${id}`;
      this.#byId.set(id, { id, name, description: `Group ${id} of ${this.#bugzilla.url}` });
      const why = `its name is hidden from the API key; here it is named ${name}`;
      this.#problems.add({ kind: 'groups with another name or id', where: `group ${id}`, why });
    }
    const nameOf = (id: number) => this.#byId.get(id)?.name ?? '';
    for (const id of ids) await this.ensureName(nameOf(id));
    return nameOf;
  }

  /** Creates a group, if the name is valid. */
  ensureName(name: string): Promise<void> {
    const created = this.#created.get(normalizeName(name)) ?? this.#create(name);
    this.#created.set(normalizeName(name), created);
    return created;
  }

  async #create(name: string): Promise<void> {
    const hasName = (group: SourceGroup) => normalizeName(group.name) === normalizeName(name);
    if (![...this.#byId.values()].some(hasName)) {
      const [existing] = await groupRepository(this.#table).byNames([name]);
      if (existing !== undefined) return;
      await this.#request({ names: name });
    }
    const known = [...this.#byId.values()].find(hasName);
    const isApplied = known !== undefined && (await this.#apply(known));
    if (isApplied || !(await this.#apply({ name }))) return;
    const why =
      'its id is hidden from the API key, or belongs to another group here: it got the next free id';
    this.#problems.add({ kind: 'groups with another name or id', where: `group '${name}'`, why });
  }

  /** @returns false when the group is invalid, or conflicts with another one */
  async #apply(group: object): Promise<boolean> {
    const validated = validateCatalogue({ groups: [group] });
    if ('problems' in validated) return false;
    const { problems, execute } = await planCatalogue(this.#table, validated.catalogue);
    if (problems.length === 0) await execute();
    return problems.length === 0;
  }

  async #request(query: Query): Promise<void> {
    if (!this.#canRead) return;
    const response = await unlessDenied(() => this.#bugzilla.get('group', groupsResponse, { query }));
    // The right to read groups is for all groups or none.
    this.#canRead = response !== undefined;
    for (const group of response?.groups ?? []) this.#byId.set(group.id, group);
  }
}

async function unlessDenied<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof BugzillaError) return undefined;
    throw error;
  }
}
