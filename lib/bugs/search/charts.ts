import { errors } from '../../errors.ts';
import type { Condition } from './conditions.ts';
import { fieldCondition } from './field-condition.ts';
import { EMPTINESS_OPERATORS } from './operators.ts';
import type { SearchContext } from './search-context.ts';
import { isSet, numbersOf, type SearchParameters, textOf } from './search-parameters.ts';

/**
 * The conditions of charts: `f1`, `o1`, `v1`, negated by `n1`, in groups from `OP` to `CP` joined as `j1` says, all
 * of them as `j_top` says; and those of the older form `field0-0-0`. A chart without operator or value is ignored.
 *
 * @throws errors.chartUnbalanced, errors.searchTooLong (400, 32000), and as fieldCondition
 */
export function readCharts(parameters: SearchParameters, context: SearchContext): Condition {
  return { all: [newCharts(parameters, context), oldCharts(parameters, context)] };
}

/** A group of conditions while it is read. */
interface Group {
  conditions: Condition[];
  joinedBy: string;
  isNegated: boolean;
}

function newCharts(parameters: SearchParameters, context: SearchContext): Condition {
  const outer: Group[] = [];
  let group: Group = { conditions: [], joinedBy: textOf(parameters, 'j_top'), isNegated: false };
  for (const number of numbersOf(parameters, /^f(\d+)$/)) {
    const field = textOf(parameters, `f${number}`);
    const isNegated = isSet(parameters, `n${number}`);
    if (field === 'OP') {
      context.work.countTerms(1);
      outer.push(group);
      group = { conditions: [], joinedBy: textOf(parameters, `j${number}`), isNegated };
    } else if (field === 'CP') {
      const parent = outer.pop();
      if (parent === undefined) throw errors.chartUnbalanced(`f${number}`);
      parent.conditions.push(...joined(group));
      group = parent;
    } else {
      const given = parameters.get(`v${number}`);
      const condition = chart(field, textOf(parameters, `o${number}`), given, context);
      if (condition !== undefined) group.conditions.push(isNegated ? { not: condition } : condition);
    }
  }
  for (let parent = outer.pop(); parent !== undefined; parent = outer.pop()) {
    parent.conditions.push(...joined(group));
    group = parent;
  }
  return { all: joined(group) };
}

/** A group as one condition; none where it is empty. */
function joined({ conditions, joinedBy, isNegated }: Group): Condition[] {
  if (conditions.length === 0) return [];
  const whole = join(conditions, joinedBy.toUpperCase());
  return [isNegated ? { not: whole } : whole];
}

function join(conditions: Condition[], joinedBy: string): Condition {
  if (joinedBy === 'AND_G') return onOneValue(conditions);
  return joinedBy === 'OR' ? { any: conditions } : { all: conditions };
}

/**
 * Charts on one field that one of its values, such as one comment, has to meet together.
 *
 * @throws errors.chartsMixed (400, 32000) for several fields
 */
function onOneValue(conditions: Condition[]): Condition {
  const [first, ...others] = conditions.filter((one) => 'field' in one);
  const isMixed = others.some(({ field }) => field !== first?.field);
  if (isMixed || conditions.some((one) => !('field' in one))) throw errors.chartsMixed();
  const { values } = first ?? {};
  if (first === undefined || values === undefined || others.length === 0) return { all: conditions };
  const meetsAll = (value: string) => [first, ...others].every((one) => one.testValues?.([value]) !== false);
  const { testValues: _, testEntry: __, ...about } = first;
  return { ...about, test: async (searched) => (await values(searched)).some(meetsAll) };
}

/** `field<chart>-<and>-<or>`: charts joined by AND, within them rows joined by AND, within them columns by OR. */
function oldCharts(parameters: SearchParameters, context: SearchContext): Condition {
  const charts = new Map<string, Map<string, Condition[]>>();
  for (const name of parameters.keys()) {
    const [, place, number, row] = /^field((-?\d+)-(\d+)-\d+)$/.exec(name) ?? [];
    if (place === undefined || number === undefined || row === undefined) continue;
    const field = textOf(parameters, name);
    const operator = textOf(parameters, `type${place}`);
    const condition = chart(field, operator, parameters.get(`value${place}`), context);
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
  context.work.countTerms(1);
  const field = OLD_NAMES.get(name) ?? name;
  if (EMPTINESS_OPERATORS.has(operator)) return fieldCondition(field, operator, '', context);
  const text = given?.join(',') ?? '';
  return text === '' ? undefined : fieldCondition(field, operator, text, context);
}

/** Names that fields had before, that charts may still use. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['attachments.thedata', 'attach_data.thedata'],
  ['changedin', 'days_elapsed'],
  ['long_desc', 'longdesc'],
  ['tags', 'tag'],
]);
