import {
  type BugRole,
  changedPartitions,
  changedRange,
  productBugsPartition,
  userBugsRange,
} from '../../dynamodb/keys.ts';
import type { Range } from '../../dynamodb/read.ts';
import type { ProductIndexEntry } from '../../products/schema.ts';
import { normalizeName } from '../../text.ts';
import { isOpenStatus } from '../workflow.ts';
import { decimalNumber } from './compare.ts';
import type { Condition, FieldCondition } from './conditions.ts';
import { isMetByOneValue } from './operators.ts';

/** How to find the bugs that may meet a condition, by keys. */
export type AccessPath =
  /** by their ids and aliases */
  | { kind: 'named'; ids: readonly number[]; aliases: readonly string[] }
  /** ranges of the search index that together hold them, each in the order of the ids */
  | { kind: 'ranges'; ranges: readonly Range[] }
  /** those that changed since, in the order of these changes */
  | { kind: 'changed'; ranges: readonly Range[] };

/** Data for the planner, read once and only if a condition needs it. */
export interface PlanSources {
  /** every product */
  products(): Promise<readonly ProductIndexEntry[]>;
  /** the logins of all users; undefined: too many to search */
  logins(): Promise<readonly string[] | undefined>;
}

/** Maximum number of users whose bugs are read one by one. */
const MAX_LOGINS = 50;
/** Maximum number of products whose bugs are read one by one. */
const MAX_PRODUCTS = 1_000;

const ROLES: Partial<Record<string, BugRole>> = {
  assigned_to: 'ASSIGNEE',
  reporter: 'REPORTER',
  qa_contact: 'QA',
  cc: 'CC',
};

/** The paths to the bugs that meet a condition: each leads to all of them. */
export interface Plan {
  /** those that need no look-up of users */
  direct: AccessPath[];
  /** finds those that need one; undefined: there are none */
  lookUpUsers?: () => Promise<AccessPath[]>;
}

/** The plan of a search by a condition; without paths where no part of the condition has one. */
export async function planOf(condition: Condition, sources: PlanSources): Promise<Plan> {
  const parts = conjuncts(condition);
  const named = namedPath(parts);
  if (named !== undefined) return { direct: [named] };
  const people = parts.filter(namesUsers);
  const pathsOf = async (ofUsers: readonly Condition[]) =>
    (await Promise.all(ofUsers.map((part) => usersPath(part, sources)))).filter((path) => path !== undefined);
  const [known, products] = await Promise.all([
    pathsOf(people.filter((part) => !needsLookUp(part))),
    productsPath(parts, sources),
  ]);
  const direct = [...known, products, changedPath(parts)].filter((path) => path !== undefined);
  const unknown = people.filter(needsLookUp);
  return unknown.length === 0 ? { direct } : { direct, lookUpUsers: () => pathsOf(unknown) };
}

/** The path to all bugs, or to the open or closed ones where the condition asks for them only; by product. */
export async function pathToAll(condition: Condition, sources: PlanSources): Promise<AccessPath | undefined> {
  return rangesOfProducts(await sources.products(), conjuncts(condition));
}

/** The path to all bugs in the order of their last changes. */
export const allByChange = (): AccessPath => changedSince('');

/** The conditions that all have to be met. */
function conjuncts(condition: Condition): Condition[] {
  if ('all' in condition) return condition.all.flatMap(conjuncts);
  const [only, ...others] = 'any' in condition ? condition.any : [];
  return only !== undefined && others.length === 0 ? conjuncts(only) : [condition];
}

const fieldConditions = (parts: readonly Condition[], ...fields: string[]): FieldCondition[] =>
  parts.filter((part) => 'field' in part).filter(({ field }) => fields.includes(field));

const isExact = ({ operator }: FieldCondition): boolean => operator === 'equals' || operator === 'anyexact';

/**
 * The planner compares with the names of all products and users, also of those that the caller must not know. A regular
 * expression would make the time and the errors of the search depend on them.
 */
const isPlannable = ({ operator }: FieldCondition): boolean =>
  operator !== 'regexp' && operator !== 'notregexp';

const valuesOf = ({ given }: FieldCondition): string[] => [given].flat().flatMap((one) => one.split(','));

function namedPath(parts: readonly Condition[]): AccessPath | undefined {
  const [exact] = fieldConditions(parts, 'bug_id', 'alias').filter(isExact);
  if (exact === undefined) return undefined;
  const values = valuesOf(exact).map((value) => value.trim());
  return exact.field === 'alias'
    ? { kind: 'named', ids: [], aliases: values }
    : {
        kind: 'named',
        ids: values.flatMap((value) => decimalNumber(value) ?? []).filter(Number.isSafeInteger),
        aliases: [],
      };
}

/** Whether a condition is on a role of a user, or on several of which one has to hold, and a path may lead to its bugs. */
function namesUsers(part: Condition): boolean {
  if ('any' in part) return part.any.length > 0 && part.any.every(namesUsers);
  if (!('field' in part) || ROLES[part.field] === undefined || !isPlannable(part)) return false;
  // Without values it is compared with another field of the bug. Bugs without a person are not indexed by one.
  return isMetByOneValue(part.operator) && part.testValues?.(['']) === false;
}

/** Whether the users of such a condition have to be looked up, because it has parts of their logins. */
const needsLookUp = (part: Condition): boolean =>
  'any' in part ? part.any.some(needsLookUp) : 'field' in part && !isExact(part);

/** The path of a condition that names users. */
async function usersPath(part: Condition, sources: PlanSources): Promise<AccessPath | undefined> {
  if ('any' in part) {
    const paths = await Promise.all(part.any.map((one) => usersPath(one, sources)));
    const ranges = paths.flatMap((path) => (path?.kind === 'ranges' ? path.ranges : []));
    return paths.every((path) => path?.kind === 'ranges') ? { kind: 'ranges', ranges } : undefined;
  }
  const role = 'field' in part ? ROLES[part.field] : undefined;
  if (!('field' in part) || role === undefined) return undefined;
  const logins = isExact(part) ? valuesOf(part).map((value) => value.trim()) : await matching(part, sources);
  if (logins === undefined || logins.length > MAX_LOGINS) return undefined;
  const distinct = new Set(logins.map(normalizeName));
  return { kind: 'ranges', ranges: [...distinct].map((login) => userBugsRange(login, role)) };
}

async function matching(part: FieldCondition, sources: PlanSources): Promise<string[] | undefined> {
  return (await sources.logins())?.filter((login) => part.testValues?.([login]) === true);
}

async function productsPath(
  parts: readonly Condition[],
  sources: PlanSources,
): Promise<AccessPath | undefined> {
  const conditions = fieldConditions(parts, 'product').filter(isPlannable);
  if (conditions.length === 0) return undefined;
  const products = (await sources.products()).filter(({ name }) =>
    conditions.every(({ testValues }) => testValues?.([name]) !== false),
  );
  return rangesOfProducts(products, parts);
}

function rangesOfProducts(
  products: readonly ProductIndexEntry[],
  parts: readonly Condition[],
): AccessPath | undefined {
  if (products.length > MAX_PRODUCTS) return undefined;
  const states = [true, false].filter((isOpen) => mayBe(isOpen, fieldConditions(parts, 'bug_status')));
  const ranges = products.flatMap(({ id }) =>
    states.map((isOpen) => ({ pk: productBugsPartition(id, isOpen) })),
  );
  return { kind: 'ranges', ranges };
}

/** The statuses under which a bug is closed, whatever the workflow. */
const CLOSED = ['RESOLVED', 'VERIFIED', 'CLOSED'];

/** Whether an open, or a closed, bug can meet conditions on its status. */
function mayBe(isOpen: boolean, conditions: readonly FieldCondition[]): boolean {
  return conditions.every((condition) => {
    if (!isOpen) return CLOSED.some((status) => condition.testValues?.([status]) !== false);
    // A catalogue may bring open statuses of any name.
    return (
      !isExact(condition) || valuesOf(condition).some((status) => isOpenStatus(status.trim().toUpperCase()))
    );
  });
}

/** A bug that was created since a time has changed since it, too. */
function changedPath(parts: readonly Condition[]): AccessPath | undefined {
  const since = fieldConditions(parts, 'delta_ts', 'creation_ts')
    .filter(({ operator }) => operator === 'greaterthaneq' || operator === 'greaterthan')
    .map(({ given }) => [given].flat().join());
  const latest = since.sort().at(-1);
  return latest === undefined ? undefined : changedSince(latest);
}

const changedSince = (since: string): AccessPath => ({
  kind: 'changed',
  ranges: changedPartitions.map((pk) => ({ pk, ...changedRange(since) })),
});
