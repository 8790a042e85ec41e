import { errors } from '../../errors.ts';
import { parseTime } from '../../time.ts';
import { BUG_FIELDS, type FieldName, isTimeField } from '../fields.ts';
import { isOpenStatus, STATUSES } from '../workflow.ts';
import { readCharts } from './charts.ts';
import { type Condition, fieldCondition, type SearchContext } from './conditions.ts';
import { readQuicksearch } from './quicksearch.ts';
import { isSet, numbersOf, type SearchParameters, textOf } from './search-parameters.ts';

/** Shown by bugs, but no parameters of a search: Bugzilla ignores them. */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['groups']);
const OLD_NAMES: Partial<Record<FieldName, string>> = { tag: 'tags', longdesc: 'long_desc' };

/** How a parameter is compared where it is not `anyexact`, Bugzilla's default. */
const OPERATORS: Partial<Record<FieldName, string>> = {
  short_desc: 'allwordssubstr',
  status_whiteboard: 'allwordssubstr',
  bug_file_loc: 'allwordssubstr',
  longdesc: 'anywordssubstr',
  keywords: 'allwords',
  content: 'matches',
};
/** Compared in one way, whatever `<name>_type` says. */
const FIXED_OPERATORS: Partial<Record<FieldName, string>> = {
  assigned_to: 'anywordssubstr',
  reporter: 'anywordssubstr',
  qa_contact: 'anywordssubstr',
  cc: 'anywordssubstr',
  commenter: 'anywordssubstr',
  creation_ts: 'greaterthaneq',
  delta_ts: 'greaterthaneq',
};
/** Their values may have commas, so each parameter is one value. */
const WHOLE_VALUES: ReadonlySet<FieldName> = new Set([
  'product',
  'component',
  'classification',
  'version',
  'target_milestone',
  'bug_status',
  'resolution',
  'priority',
  'bug_severity',
  'rep_platform',
  'op_sys',
]);

/**
 * What a search asks of bugs.
 *
 * @throws as fieldCondition, readCharts and readQuicksearch
 */
export function readConditions(parameters: SearchParameters, context: SearchContext): Condition {
  const conditions = [
    ...BUG_FIELDS.map(({ name }) => parameterCondition(name, parameters, context)),
    ...personConditions(parameters, context),
    ...changeConditions(parameters, context),
    ...deadlineConditions(parameters, context),
    readCharts(parameters, context),
    readQuicksearch(textOf(parameters, 'quicksearch'), context),
  ];
  return { all: conditions.filter((one) => one !== undefined) };
}

function parameterCondition(
  field: FieldName,
  parameters: SearchParameters,
  context: SearchContext,
): Condition | undefined {
  if (isTimeField(field) && !context.isTimeTracker) return undefined;
  const given = namesOf(field).flatMap((name) => parameters.get(name) ?? []);
  if (given.length === 0) return undefined;
  if (field === 'creation_ts' || field === 'delta_ts')
    return timeCondition(field, given.at(-1) ?? '', context);

  const values = given.map((value) => value.trim()).filter((value) => value !== '');
  if (values.length === 0) return undefined;
  const type = textOf(parameters, `${field.replaceAll('.', '_')}_type`) || undefined;
  const operator = FIXED_OPERATORS[field] ?? type ?? OPERATORS[field] ?? 'anyexact';
  if (field === 'bug_status' && operator === 'anyexact') return statusCondition(values, context);
  const compared = WHOLE_VALUES.has(field) ? values : values.join(',');
  return fieldCondition(field, operator, compared, context);
}

function namesOf(field: FieldName): string[] {
  const rest = BUG_FIELDS.find(({ name }) => name === field)?.rest ?? '';
  return [...new Set([rest, field.replaceAll('.', '_'), OLD_NAMES[field] ?? ''])].filter(
    (name) => name !== '' && !NO_PARAMETERS.has(name),
  );
}

/** Unlike in charts, no relative times. */
function timeCondition(field: FieldName, given: string, context: SearchContext): Condition | undefined {
  if (parseTime(given) === undefined) throw errors.timeNotRecognized(field, given);
  return fieldCondition(field, 'greaterthaneq', given, context);
}

const SPECIAL_STATUSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['__open__', STATUSES.filter(isOpenStatus)],
  ['__closed__', STATUSES.filter((status) => !isOpenStatus(status))],
]);

function statusCondition(given: readonly string[], context: SearchContext): Condition | undefined {
  if (given.includes('__all__')) return undefined;
  const statuses = given.flatMap((status) => SPECIAL_STATUSES.get(status) ?? [status]);
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
    const operator = type === 'exact' ? 'equals' : type;
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
    return { all: parts.filter((part) => part !== undefined) };
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
