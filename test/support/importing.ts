import { Bugzilla, type BugzillaOptions } from '../../infra/admin/import/bugzilla-client.ts';
import {
  type ImportOptions,
  type ImportResult,
  importBugzilla,
} from '../../infra/admin/import/import-bugzilla.ts';
import type { FindingKind } from '../../infra/admin/import/problems.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { referenceCatalogue } from './bugless.ts';
import { keys } from './keys.ts';

/** Manners for tests: no waiting. */
export const HASTY = {
  requestsPerSecond: 2_000,
  atOnce: 4,
  attempts: 4,
  firstDelay: 1,
  retryTimeoutMs: 2_000,
  onDelay: () => undefined,
};
const ALL: ImportOptions = {
  products: [],
  fromBug: 1,
  toBug: Number.POSITIVE_INFINITY,
  everything: false,
  bugsAtOnce: 4,
};

/** Imports with an administrator's key, unless told otherwise. */
export function importInto(
  table: Table,
  url: string,
  options: Partial<ImportOptions> = {},
  manners: Partial<BugzillaOptions> = {},
): Promise<ImportResult> {
  const bugzilla = new Bugzilla({ url, key: keys.admin, ...HASTY, ...manners });
  return importBugzilla(table, bugzilla, { ...ALL, ...options });
}

/** What could not be copied, of one kind, in lines. */
export const found = ({ findings }: ImportResult, kind: FindingKind) =>
  findings.find((one) => one.kind === kind)?.findings.map(({ where, why }) => `${where}: ${why}`) ?? [];

/** Adds the users of the reference, who may see what they see there. */
export async function addUsers(table: Table): Promise<void> {
  const { groups, users } = referenceCatalogue();
  const all = users.map((user) =>
    user.groups.includes('secret-team') ? { ...user, groups: [...user.groups, 'bugzilla-restricted'] } : user,
  );
  await applyCatalogue(
    table,
    parseCatalogue({ groups: [...groups, { name: 'bugzilla-restricted' }], users: all }),
  );
}

/** Lists stand in no order of their own. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const text = (one: unknown) => JSON.stringify(one);
    return value.map(inOrder).sort((a, b) => (text(a) < text(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]) => [name, inOrder(field)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

/** A value that has to be there. */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The reference lacks something');
  return value;
}
