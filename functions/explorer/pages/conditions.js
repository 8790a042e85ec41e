import { labelOf, tableOf } from './labels.js';

/** What parameters of a search are called, where they are no fields, or mean something else than these. */
const NAMES = tableOf(
  `longdesc Comments, id Number, bug_id Number, quicksearch Words, content Full text, requestees.login_name Requestee of a flag,
  setters.login_name Setter of a flag, flagtypes.name Flag, chfield Changed, chfieldfrom Changed since, chfieldto Changed until,
  chfieldvalue Changed to, creation_time Opened since, last_change_time Changed since`,
);
const VALUES = tableOf('__open__ open, __closed__ closed, __all__ any, --- none, %user% me');
/** The operators of conditions, by what Bugzilla calls them, in words. */
export const OPERATORS = tableOf(
  `equals is, notequals is not, anyexact is one of, exact is, isempty is empty, isnotempty is not empty, substring contains,
  casesubstring contains exactly, notsubstring does not contain, anywordssubstr contains any of, allwordssubstr contains all of,
  nowordssubstr contains none of, anywords has any word of, allwords has all words of, nowords has no word of, regexp matches,
  notregexp does not match, matches has, notmatches does not have, lessthan <, lessthaneq ≤, greaterthan >, greaterthaneq ≥,
  changedbefore changed before, changedafter changed after, changedfrom changed from, changedto changed to, changedby changed by,
  everchanged has ever changed`,
);
const PEOPLE = ['assigned_to', 'reporter', 'qa_contact', 'cc', 'longdesc'];

/** What a parameter, or a field of a condition, is called. */
export const nameOf = (name) => NAMES[name] ?? labelOf(name);
const shownValue = (value) => VALUES[value] ?? value;
const operatorOf = (operator) => OPERATORS[operator] ?? operator;

/**
 * The conditions of a search (URLSearchParams), each in words: `Status: open or RESOLVED`, `Summary contains all of: lens`; with the
 * `names` of the parameters without which it is not there; none: others depend on it.
 */
export function conditionsOf(query) {
  const conditions = [];
  for (const name of new Set(query.keys())) {
    const [, kind, number] = /^([fovnj]|email)(\d+)$/.exec(name) ?? [];
    const numbered = (...kinds) => kinds.map((one) => `${one}${number}`);
    const isGroup = ['OP', 'CP'].includes(query.get(`f${number}`));
    if (kind === 'f')
      conditions.push([conditionOfChart(query, number), isGroup ? [] : numbered('f', 'o', 'v', 'n')]);
    else if (kind === 'email') {
      const roles = PEOPLE.map((role) => `email${role}`);
      conditions.push([conditionOfPeople(query, number), numbered('email', 'emailtype', ...roles)]);
    } else if (kind === 'j' || name === 'j_top') conditions.push([joined(query.get(name)), []]);
    else if (name === 'namedcmd' || name === 'savedsearch') {
      if (isRun(query) || name === 'savedsearch') conditions.push([`Saved search: ${query.get(name)}`, []]);
    } else if (kind === undefined && !isPartOfAnother(name)) {
      const further = /^chfield/.test(name) ? ['chfield', 'chfieldfrom', 'chfieldto', 'chfieldvalue'] : [];
      conditions.push([plainCondition(query, name), [name, `${name}_type`, ...further]]);
    }
  }
  return conditions.flatMap(([words, names]) => (words ? [{ words, names }] : []));
}

/** Whether a list is that of a saved search. */
const isRun = (query) =>
  query.get('cmdtype') === 'runnamed' ||
  (query.get('cmdtype') === 'dorem' && query.get('remaction') === 'run');

const isPartOfAnother = (name) =>
  /^(cmdtype|remaction|sharer_id)$|_type$|^email(type|assigned_to|reporter|qa_contact|cc|longdesc)\d+$/.test(
    name,
  );

function plainCondition(query, name) {
  const operator = query.get(`${name}_type`);
  const values = query.getAll(name).map(shownValue).join(' or ');
  return `${nameOf(name)}${operator === null ? '' : ` ${operatorOf(operator)}`}: ${values}`;
}

function conditionOfChart(query, number) {
  const field = query.get(`f${number}`);
  const negation = query.get(`n${number}`) === '1' ? 'not ' : '';
  if (field === 'OP') return `${negation}(`;
  if (field === 'CP') return ')';
  const value = shownValue(query.get(`v${number}`) ?? '');
  return `${negation}${nameOf(field)} ${operatorOf(query.get(`o${number}`) ?? '')} ${value}`.trim();
}

function conditionOfPeople(query, number) {
  const people = PEOPLE.filter((role) => query.get(`email${role}${number}`) === '1').map((role) =>
    role === 'longdesc' ? 'Commenter' : nameOf(role),
  );
  const operator = operatorOf(query.get(`emailtype${number}`) ?? 'substring');
  return `${people.join(' or ')} ${operator} ${shownValue(query.get(`email${number}`))}`;
}

const joined = (value) => (value?.startsWith('OR') ? 'one of:' : '');
