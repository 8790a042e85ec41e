import { errors } from '../../errors.ts';
import { ANYTHING, type Condition, type FieldCondition, type FieldEvent } from './conditions.ts';
import { fieldCondition } from './field-condition.ts';
import { isOperator, VALUELESS_OPERATORS } from './operators.ts';
import {
  isSet,
  numbersOf,
  OLD_NAMES,
  type SearchContext,
  type SearchParameters,
  textOf,
} from './search-context.ts';
import { andThen } from './searched-bug.ts';

/**
 * The conditions of charts: `f1`, `o1`, `v1`, negated by `n1`, in groups from `OP` to `CP` joined as `j1` says, all
 * of them as `j_top` says; and those of the older form `field0-0-0`. A chart without operator or value is ignored.
 */
export function readCharts(parameters: SearchParameters, context: SearchContext): Condition {
  const condition = groupCondition(readGroups(parameters), parameters, context) ?? ANYTHING;
  return { all: [condition, oldCharts(parameters, context)] };
}

/** The operators of charts that there are not; with a value they are refused. */
export const unknownOperators = (parameters: SearchParameters): string[] =>
  numbersOf(parameters, /^o(\d+)$/).flatMap((number) => {
    const operator = textOf(parameters, `o${number}`);
    return operator === '' || isOperator(operator) ? [] : [`o${number} ${operator}`];
  });

/** A chart as it was sent, or a group of them. */
type Member = { number: string; field: string; operator: string; isNegated: boolean } | Group;
interface Group {
  members: Member[];
  joinedBy: string;
  isNegated: boolean;
}

/**
 * The charts in their groups. As in Bugzilla they are all looked at before the first one is read, whether or not they have
 * a value.
 *
 * @throws BugzillaError 400 where groups do not fit together
 */
function readGroups(parameters: SearchParameters): Group {
  const numbers = numbersOf(parameters, /^f(\d+)$/);
  const joiner = numbers.length === 0 ? '' : joinerOf(parameters, 'j_top');
  const outer: Group[] = [];
  const all: Group = { members: [], joinedBy: joiner, isNegated: false };
  let group = all;
  for (const number of numbers) {
    const field = textOf(parameters, `f${number}`);
    const isNegated = isSet(parameters, `n${number}`);
    if (field === 'OP') {
      if (group.joinedBy === ON_ONE_VALUE) throw errors.chartsNested();
      outer.push(group);
      const inner: Group = { members: [], joinedBy: joinerOf(parameters, `j${number}`), isNegated };
      group.members.push(inner);
      group = inner;
    } else if (field === 'CP') {
      const parent = outer.pop();
      if (parent === undefined) throw errors.chartUnbalanced(`f${number}`);
      group = parent;
    } else {
      const operator = textOf(parameters, `o${number}`);
      if (group.joinedBy === ON_ONE_VALUE) checkGrouped(field, operator, group.members[0]);
      group.members.push({ number, field, operator, isNegated });
    }
  }
  return all;
}

/** Charts that AND_G joins are on one field, and Bugzilla groups none on some. */
function checkGrouped(field: string, operator: string, first: Member | undefined): void {
  if (first !== undefined && 'field' in first && first.field !== field) throw errors.chartsMixed();
  if (UNGROUPED.has(field) || (PLACES.has(field) && !operator.startsWith('changed'))) {
    throw errors.searchUnsupported(ON_ONE_VALUE);
  }
}

/** Bugzilla groups no charts on these fields, and on places charts of changes only. */
const UNGROUPED: ReadonlySet<string> = new Set([
  ...['attach_data.thedata', 'classification', 'commenter', 'longdescs.count', 'owner_idle_time'],
]);
const PLACES: ReadonlySet<string> = new Set(['product', 'component']);

/** A group as one condition; none where it is empty. */
function groupCondition(
  { members, joinedBy, isNegated }: Group,
  parameters: SearchParameters,
  context: SearchContext,
): Condition | undefined {
  const conditions = members.flatMap((member): Condition[] => {
    if ('members' in member) {
      context.budget.terms.take(1);
      const inner = groupCondition(member, parameters, context);
      return inner === undefined ? [] : [inner];
    }
    const given = parameters.get(`v${member.number}`);
    const condition = chart(member.field, member.operator, given, context);
    if (condition === undefined) return [];
    return [member.isNegated ? { not: condition } : condition];
  });
  if (conditions.length === 0) return undefined;
  const whole = join(conditions, joinedBy);
  return isNegated ? { not: whole } : whole;
}

/** Joins charts that one comment or change has to meet together. */
const ON_ONE_VALUE = 'AND_G';
const JOINERS: ReadonlySet<string> = new Set(['', 'AND', 'OR', ON_ONE_VALUE]);

function joinerOf(parameters: SearchParameters, name: string): string {
  const joiner = textOf(parameters, name);
  if (!JOINERS.has(joiner)) throw errors.joinerUnknown(joiner);
  return joiner;
}

function join(conditions: Condition[], joinedBy: string): Condition {
  if (joinedBy === ON_ONE_VALUE) return onOneValue(conditions);
  return joinedBy === 'OR' ? { any: conditions } : { all: conditions };
}

/** Charts on one field of which one comment, or one change, has to meet all. Of lists each chart has its own value, as in Bugzilla. */
export function onOneValue(conditions: readonly Condition[]): Condition {
  const fields = conditions.flatMap((one): FieldCondition[] => {
    if ('field' in one) return [one];
    return 'not' in one && 'field' in one.not ? [contrary(one.not)] : [];
  });
  const field = fields[0]?.field;
  if (fields.length < conditions.length || fields.some((one) => one.field !== field)) {
    throw errors.chartsMixed();
  }
  const changing = fields.filter(({ events }) => events !== undefined);
  const isOfComments = field === 'longdesc' && changing.length > 0;
  const valued = fields.filter(
    (one) => field === 'longdesc' && one.values !== undefined && one.testValues !== undefined,
  );
  const others = fields.filter((one) => !changing.includes(one) && !valued.includes(one));
  const meetsAll = (value: string) => valued.every(({ testValues }) => testValues?.([value]));
  const happened = (event: FieldEvent) =>
    changing.every(({ events }) => events?.isMet(event)) && (!isOfComments || meetsAll(event.added));
  const onValue = together(valued, (searched) =>
    andThen(valued[0]?.values?.(searched), (values) => values?.some(meetsAll)),
  );
  const onEvent = together(isOfComments ? [...valued, ...changing] : changing, (searched) =>
    andThen(changing[0]?.events?.read(searched), (events) => events?.some(happened)),
  );
  return { all: [...others, ...(isOfComments ? [] : onValue), ...onEvent] };
}

/** The contrary of a condition, of the same value or change. */
function contrary(condition: FieldCondition): FieldCondition {
  const { test, testValues, events, indexTerms: _, ...about } = condition;
  return {
    ...about,
    test: (searched) => andThen(test(searched), (met) => (met === undefined ? undefined : !met)),
    ...(testValues === undefined ? {} : { testValues: (values) => !testValues(values) }),
    ...(events === undefined ? {} : { events: { ...events, isMet: (event) => !events.isMet(event) } }),
  };
}

/** Several conditions as one with a test of its own; a single one, or none, as it is. */
function together(conditions: readonly FieldCondition[], test: FieldCondition['test']): FieldCondition[] {
  const [first, ...others] = conditions;
  if (first === undefined || others.length === 0) return [...conditions];
  const { testValues: _, events: __, ...about } = first;
  return [{ ...about, cost: Math.max(...conditions.map(({ cost }) => cost)), test }];
}

/** `field<chart>-<and>-<or>`: charts joined by AND, within them rows joined by AND, within them columns by OR. */
function oldCharts(parameters: SearchParameters, context: SearchContext): Condition {
  const charts = new Map<string, Map<string, Condition[]>>();
  for (const name of parameters.keys()) {
    const [, suffix, number, row] = /^field((-?\d+)-(\d+)-\d+)$/.exec(name) ?? [];
    if (suffix === undefined || number === undefined || row === undefined) continue;
    const field = textOf(parameters, name);
    const operator = textOf(parameters, `type${suffix}`);
    const condition = chart(field, operator, parameters.get(`value${suffix}`), context);
    if (condition === undefined) continue;
    const rows = charts.get(number) ?? new Map<string, Condition[]>();
    charts.set(number, rows.set(row, [...(rows.get(row) ?? []), condition]));
  }
  const conditions = [...charts].map(([number, rows]): Condition => {
    const whole = { all: [...rows.values()].map((any) => ({ any })) };
    return isSet(parameters, `negate${number}`) ? { not: whole } : whole;
  });
  return { all: conditions };
}

function chart(
  name: string,
  operator: string,
  given: readonly string[] | undefined,
  context: SearchContext,
): Condition | undefined {
  if (operator === '') return undefined;
  context.budget.terms.take(1);
  const field = OLD_NAMES.get(name) ?? name;
  if (VALUELESS_OPERATORS.has(operator)) return fieldCondition(field, operator, '', context);
  const text = given?.join(',') ?? '';
  return text === '' ? undefined : fieldCondition(field, operator, text, context);
}
