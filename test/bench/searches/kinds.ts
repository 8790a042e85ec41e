import type { Search } from './generate.ts';

/** What a server answers to a search: ids, ascending where no order was asked for, or status and code. */
export type Answer = { ids: number[] } | { status: number; code: number };

/** A kind of differences on purpose. */
interface Kind {
  name: string;
  /** what functions/bugs/README.md says of it */
  documented: string;
  explains(search: Search, there: Answer, here: Answer): boolean;
}

/** A chart with its number. */
interface Chart {
  field: string;
  operator: string;
  value: string;
  isNegated: boolean;
}

function chartsOf({ parameters }: Search): Chart[] {
  const given = new Map(parameters);
  return parameters.flatMap(([name, field]): Chart[] => {
    const [, n] = /^f(\d+)$/.exec(name) ?? [];
    if (n === undefined) return [];
    const [operator = '', value = ''] = [given.get(`o${n}`), given.get(`v${n}`)];
    return [{ field, operator, value, isNegated: given.has(`n${n}`) }];
  });
}

const isRefused = (answer: Answer, code?: number): boolean =>
  'code' in answer && answer.status < 500 && (code === undefined || answer.code === code);
/** The codes of errors of Bugzilla's own code and its database; 0: its web server's. */
const CRASHED = new Set([100500, 68000, 0]);
const NUMBER = /^\s*-?\d+(\.\d+)?\s*$/;
const isNumber = (value: string): boolean =>
  value.split(/[\s,]+/).every((one) => one === '' || NUMBER.test(one));

const NUMBERS =
  /^(cf_int|cf_bug|days_elapsed|longdescs\.(count|isprivate)|attachments\.is\w+|everconfirmed|bug_id|is_confirmed|estimated_time|is_open|is_(creator|cc)_accessible|(work|remaining|actual)_time|id|blocks|depends_on|blocked|dependson)$/;
const PRONOUN = /%[\w.-]+%/;
const HOURS = /^(work|estimated|remaining|actual)_time$/;
const LISTS =
  /^(alias|keywords|cc|flagtypes|requestees|setters|attachments|attach_data|longdesc|comment_tag|see_also|dependson|blocked|depends_on|blocks|tag|work_time|commenter|dupe_of|cf_multi|bug_group)(s?$|\.|s_)/;
const DATES = /^(cf_day|cf_when|deadline)$/;

/** The duplicate of the catalogue, and its original. */
const DUPLICATES: ReadonlySet<number> = new Set([3, 13]);

const kind = (name: string, documented: string, explains: Kind['explains']): Kind => ({
  name,
  documented,
  explains,
});
/** A kind that one of the charts tells. */
const ofChart = (name: string, documented: string, matches: (chart: Chart) => boolean): Kind =>
  kind(name, documented, (search) => chartsOf(search).some(matches));

/** Why an answer may differ; the first that explains it counts. */
export const KINDS: readonly Kind[] = [
  kind('Bugzilla fails', 'in 5.2 a database error', (_, there) => 'code' in there && CRASHED.has(there.code)),
  kind(
    'both refuse',
    'of several faults of a search another one may be named',
    (_, there, here) => isRefused(there) && isRefused(here),
  ),
  kind('no time', 'what is no time is refused', (_, __, here) => isRefused(here, 56)),
  kind(
    'privacy of comments',
    '`longdescs.isprivate` for others than insiders: 401, 304, with each operator',
    (_, __, here) => isRefused(here, 304),
  ),
  kind(
    'private comments',
    'private comments do not count in the order by `longdescs.count`',
    ({ parameters }) => new Map(parameters).get('order')?.startsWith('longdescs.count') === true,
  ),
  kind(
    'no number',
    'a text is not read as the number that it begins with',
    (search, _, here) =>
      isRefused(here, 52) ||
      search.parameters.some(([name, value]) => NUMBERS.test(name) && !isNumber(value)) ||
      chartsOf(search).some(({ field, value }) => NUMBERS.test(field) && !NUMBER.test(value)),
  ),
  kind('pronouns', 'a pronoun is one with each operator', ({ parameters }) =>
    parameters.some(([name, value]) => /^(v\d|quicksearch$)/.test(name) && PRONOUN.test(value)),
  ),
  ofChart('hours', 'hours are compared as numbers', ({ field }) => HOURS.test(field)),
  ofChart(
    'empty lists',
    'what is not there is empty',
    ({ field, operator }) =>
      (operator.startsWith('is') && LISTS.test(field)) || field === 'qa_contact_realname',
  ),
  ofChart(
    'negated twice',
    'a condition that `n1` and `not…` negate holds again',
    ({ operator, isNegated }) => isNegated && operator.startsWith('no'),
  ),
  ofChart(
    'no date',
    'A bug without a date is neither before nor after one',
    ({ field, operator, isNegated }) => DATES.test(field) && (isNegated || /^(less|great)/.test(operator)),
  ),
  kind(
    'comments of duplicates',
    'the words of comments on duplicates are found',
    (search, there, here) =>
      chartsOf(search).some(({ field }) => /^(longdesc|content)$/.test(field)) &&
      'ids' in there &&
      'ids' in here &&
      new Set(there.ids).symmetricDifference(new Set(here.ids)).isSubsetOf(DUPLICATES),
  ),
];

/** The kind of a difference; undefined: it is not explained. */
export const kindOf = (search: Search, there: Answer, here: Answer): string | undefined =>
  KINDS.find(({ explains }) => explains(search, there, here))?.name;
