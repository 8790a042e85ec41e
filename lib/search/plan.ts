import { findName } from '../bugs/validation.ts';
import type { Workflow } from '../bugs/workflow.ts';
import type { ProductIndexEntry } from '../products/schema.ts';
import { decimalNumber } from './conditions/compare.ts';
import type { Condition, FieldCondition } from './conditions/conditions.ts';
import { CLOSED_SEGMENTS, isInClosedSegment } from './index/segment.ts';

/** The conditions that all have to be met. */
export function conjuncts(condition: Condition): Condition[] {
  if ('all' in condition) return condition.all.flatMap(conjuncts);
  const [only, ...others] = 'any' in condition ? condition.any : [];
  return only !== undefined && others.length === 0 ? conjuncts(only) : [condition];
}

const fieldConditions = (condition: Condition, ...fields: string[]): FieldCondition[] =>
  conjuncts(condition)
    .filter((part) => 'field' in part)
    .filter(({ field }) => fields.includes(field));

const isExact = ({ operator }: FieldCondition): boolean => operator === 'equals' || operator === 'anyexact';

const valuesOf = ({ given }: FieldCondition): string[] =>
  [given]
    .flat()
    .flatMap((one) => one.split(','))
    .map((value) => value.trim());

/** The ids or aliases that bugs must have to meet a condition; undefined: it does not name any. */
export function namedBugs(condition: Condition): { ids: number[]; aliases: string[] } | undefined {
  const [exact] = fieldConditions(condition, 'bug_id', 'alias').filter(isExact);
  if (exact === undefined) return undefined;
  const values = valuesOf(exact);
  if (exact.field === 'alias') return { ids: [], aliases: values };
  return {
    ids: values.flatMap((value) => decimalNumber(value) ?? []).filter(Number.isSafeInteger),
    aliases: [],
  };
}

/**
 * The time since when bugs must have changed to meet a condition; undefined: it does not say. A bug that was created
 * since a time has changed since it, too.
 */
export function changedSince(condition: Condition): string | undefined {
  const since = fieldConditions(condition, 'delta_ts', 'creation_ts')
    .filter(({ operator }) => operator === 'greaterthaneq' || operator === 'greaterthan')
    .map(({ given }) => [given].flat().join());
  return since.sort().at(-1);
}

/**
 * The products, and the segments of open or closed bugs, whose bugs may meet a condition.
 *
 * @param products all of them. The condition is compared with names that the caller may not know: a regular expression
 * would make the time and the errors of the search depend on these, so it is not
 */
export function planOf(
  condition: Condition,
  products: readonly ProductIndexEntry[],
  workflow: Pick<Workflow, 'names'>,
) {
  const isPlannable = ({ operator }: FieldCondition) => operator !== 'regexp' && operator !== 'notregexp';
  const ofProduct = fieldConditions(condition, 'product').filter(isPlannable);
  const ofStatus = fieldConditions(condition, 'bug_status');
  const wanted = products.filter(({ name }) =>
    ofProduct.every(({ testValues }) => testValues?.([name]) !== false),
  );
  return {
    products: new Set(wanted.map(({ id }) => id)),
    isOpenWanted: mayBe(true, ofStatus, workflow),
    isClosedWanted: mayBe(false, ofStatus, workflow),
  };
}

/** Whether a bug in the segments of open, or of closed, bugs can meet conditions on its status. */
function mayBe(
  isOpen: boolean,
  conditions: readonly FieldCondition[],
  { names }: Pick<Workflow, 'names'>,
): boolean {
  const isClosedName = (given: string) => isInClosedSegment(findName(names, given) ?? given.toUpperCase());
  return conditions.every((condition) => {
    if (!isOpen) return CLOSED_SEGMENTS.some((status) => condition.testValues?.([status]) !== false);
    // A catalogue may bring open statuses of any name.
    return !isExact(condition) || !valuesOf(condition).every(isClosedName);
  });
}
