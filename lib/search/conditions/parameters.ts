import { parseLooseTime } from '../../base/loose-time.ts';
import type { BugField } from '../../bugs/fields/field.ts';
import { kindOf, type ParameterRule } from '../../bugs/fields/kinds.ts';
import { findName } from '../../bugs/validation.ts';
import { errors } from '../../errors.ts';
import { onOneValue, readCharts } from './charts.ts';
import type { Condition } from './conditions.ts';
import { fieldCondition } from './field-condition.ts';
import { readQuicksearch } from './quicksearch.ts';
import {
  isSet,
  numbersOf,
  OLD_NAMES,
  type SearchContext,
  type SearchParameters,
  textOf,
} from './search-context.ts';

const EXACT: ParameterRule = { operator: 'anyexact' };
const OWN_RULES: ReadonlyMap<string, ParameterRule> = new Map<string, ParameterRule>([
  ['longdesc', { operator: 'anywordssubstr' }],
  ['content', { operator: 'matches' }],
  ['commenter', EXACT],
]);

/** Fields that bugs do not show are compared exactly, unless they are people or have a rule of their own. */
function ruleOf(field: BugField): ParameterRule {
  const { parameter } = kindOf(field);
  return OWN_RULES.get(field.name) ?? (field.rest === undefined && !parameter.isFixed ? EXACT : parameter);
}

/** What a search asks of bugs. */
export function readConditions(parameters: SearchParameters, context: SearchContext): Condition {
  const conditions = [
    ...context.fields.all.map((field) => parameterCondition(field, parameters, context)),
    ...personConditions(parameters, context),
    ...changeConditions(parameters, context),
    ...deadlineConditions(parameters, context),
    readCharts(parameters, context),
    parameters.has('quicksearch') ? readQuicksearch(textOf(parameters, 'quicksearch'), context) : undefined,
  ];
  return { all: conditions.filter((one) => one !== undefined) };
}

function parameterCondition(
  field: BugField,
  parameters: SearchParameters,
  context: SearchContext,
): Condition | undefined {
  const { name, visibleTo, searched } = field;
  if (searched === undefined || (visibleTo === 'timetrackers' && !context.isTimeTracker)) return undefined;
  const given = namesOf(field).flatMap((one) => parameters.get(one) ?? []);
  if (given.length === 0) return undefined;
  const rule = ruleOf(field);
  if (rule.isSince) {
    const time = given.at(-1) ?? '';
    const parameter = namesOf(field).find((one) => parameters.has(one)) ?? name;
    // Under the names of the interface, unlike in charts, there are no relative times.
    if (parameter !== name && parseLooseTime(time) === undefined)
      throw errors.timeNotRecognized(parameter, time);
    return fieldCondition(name, 'greaterthaneq', time, context);
  }

  const values = given.map((value) => value.trim()).filter((value) => value !== '');
  if (values.length === 0) return undefined;
  const type = typeOf(name, parameters) || rule.operator;
  // Comments are never compared as a whole, as in Bugzilla.
  const isPart = name === 'longdesc' && type === 'equals';
  const operator = rule.isFixed ? rule.operator : isPart ? 'substring' : type;
  if (field.values === 'status' && operator === 'anyexact') return statusCondition(values, context);
  const { hasValues, given: form } = kindOf(field);
  if (hasValues && form !== 'text' && values.includes('---'))
    return fieldCondition(name, 'isempty', '', context);
  return fieldCondition(name, operator, rule.isWhole ? values : values.join(','), context);
}

/** Groups, which bugs show, are no parameter: Bugzilla ignores it. */
function namesOf({ name, rest, searched }: BugField): string[] {
  const old = [...OLD_NAMES].filter(([, now]) => now === name).map(([one]) => one);
  const names = [searched === 'charts' ? undefined : rest, name.replaceAll('.', '_'), ...old];
  return [...new Set(names)].filter((one) => one !== undefined);
}

/** The operator that a request names for a parameter; '': none. */
function typeOf(name: string, parameters: SearchParameters): string {
  // Its old name has values of its own.
  const old = name === 'bug_id' ? textOf(parameters, 'bugidtype') : '';
  if (old !== '') return old === 'exclude' ? 'nowords' : 'anyexact';
  return textOf(parameters, `${name.replaceAll('.', '_')}_type`);
}

/** The statuses of a search that the workflow does not have. */
export const unknownStatuses = (
  parameters: SearchParameters,
  { workflow }: Pick<SearchContext, 'workflow'>,
): string[] =>
  ['status', 'bug_status']
    .flatMap((name) => parameters.get(name) ?? [])
    .filter((status) => status.trim() !== '' && !SPECIAL_STATUSES.has(status))
    .filter((status) => findName(workflow.names, status) === undefined)
    .map((status) => `status ${status}`);

const SPECIAL_STATUSES: ReadonlySet<string> = new Set(['__open__', '__closed__', '__all__']);

/**
 * Whether a search takes the name of a status or resolution for something else: several statuses, none, several names, or the
 * first word of a quicksearch.
 */
export const isSearchWord = (name: string): boolean =>
  SPECIAL_STATUSES.has(name.toLowerCase()) || ['ALL', 'OPEN', '---'].includes(name) || name.includes(',');

/** Unknown statuses are left out; without a known one there is no condition. functions/bugs/README.md 3.1. */
function statusCondition(given: readonly string[], context: SearchContext): Condition | undefined {
  const { open, closed, names } = context.workflow;
  if (given.includes('__all__')) return undefined;
  const statuses = given
    .flatMap((status) => (status === '__open__' ? open : status === '__closed__' ? closed : [status]))
    .filter((status) => findName(names, status) !== undefined);
  if (statuses.length === 0) return undefined;
  return fieldCondition('bug_status', 'anyexact', statuses, context);
}

const ROLES = [
  ['assigned_to', 'assigned_to'],
  ['reporter', 'reporter'],
  ['cc', 'cc'],
  ['qa_contact', 'qa_contact'],
  ['longdesc', 'commenter'],
] as const;

/** `email1` with `emailtype1`, in the roles that `emailassigned_to1` and the like name. */
function personConditions(parameters: SearchParameters, context: SearchContext): (Condition | undefined)[] {
  return numbersOf(parameters, /^email(\d+)$/).map((number) => {
    const login = textOf(parameters, `email${number}`).trim();
    if (login === '') return undefined;
    const type = textOf(parameters, `emailtype${number}`) || 'anyexact';
    const operator = type === 'exact' ? 'anyexact' : type;
    const roles = ROLES.filter(([role]) => isSet(parameters, `email${role}${number}`));
    const conditions = roles.map(([, field]) => fieldCondition(field, operator, login, context));
    return roles.length === 0 ? undefined : { any: conditions.filter((one) => one !== undefined) };
  });
}

/** `chfieldfrom`, `chfieldto`: when, of `chfield`: what, to `chfieldvalue`. Without fields: when the bug changed last. */
function changeConditions(parameters: SearchParameters, context: SearchContext): (Condition | undefined)[] {
  const one = (name: string) => {
    const value = textOf(parameters, name).trim();
    return value.toLowerCase() === 'now' ? '' : value;
  };
  const [from, to, value] = [one('chfieldfrom'), one('chfieldto'), one('chfieldvalue')];
  const endOfDay = /^\d{4}-\d{1,2}-\d{1,2}$/.test(to) ? `${to} 23:59:59` : to;
  const fields = [...new Set(parameters.get('chfield'))]
    .filter((field) => field !== '')
    .map((field) => (field === '[Bug creation]' ? 'creation_ts' : field));
  const when = (field: string, operator: string, text: string) =>
    text === '' ? undefined : fieldCondition(field, operator, text, context);
  if (from === '' && to === '' && value === '') return [];
  const since = when('delta_ts', 'greaterthaneq', from);
  if (fields.length === 0)
    return [since, value === '' ? when('delta_ts', 'lessthaneq', endOfDay) : undefined];
  const changes = fields.map((field): Condition => {
    const parts = [
      when(field, 'changedto', value),
      when(field, 'changedafter', from),
      when(field, 'changedbefore', endOfDay),
    ];
    return onOneValue(parts.filter((part) => part !== undefined));
  });
  return [since, { any: changes }];
}

function deadlineConditions(parameters: SearchParameters, context: SearchContext): (Condition | undefined)[] {
  const bound = (name: string, operator: string) => {
    const given = textOf(parameters, name);
    return given === '' ? undefined : fieldCondition('deadline', operator, given, context);
  };
  return [bound('deadlinefrom', 'greaterthaneq'), bound('deadlineto', 'lessthaneq')];
}
