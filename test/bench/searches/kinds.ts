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

const hasChart = (search: Search, matches: (chart: Chart) => boolean): boolean =>
  chartsOf(search).some(matches);
const isRefused = (answer: Answer, code?: number): boolean =>
  'code' in answer && answer.status < 500 && (code === undefined || answer.code === code);
/** The code of Bugzilla's errors that its own code or its database throws. */
const CRASHED = new Set([100500, 68000]);
const NUMBER = /^\s*-?\d+(\.\d+)?\s*$/;
const isNumber = (value: string): boolean =>
  value.split(/[\s,]+/).every((one) => one === '' || NUMBER.test(one));

const NUMBERS =
  /^(cf_int|cf_bug|days_elapsed|longdescs\.count|bug_id|is_confirmed|estimated_time|is_open|id|blocks|depends_on|blocked|dependson)$/;
const HOURS = /^(work|estimated|remaining|actual)_time$/;
const LISTS =
  /^(alias|keywords|cc|flagtypes|requestees|setters|attachments|attach_data|longdesc|comment_tag|see_also|dependson|blocked|depends_on|blocks|tag|work_time|commenter|dupe_of|cf_multi|bug_group)(s?$|\.|s_)/;
const DATES = /^(cf_day|cf_when|deadline)$/;

/** Why an answer may differ, the first that explains it counts. */
export const KINDS: readonly Kind[] = [
  {
    name: 'Bugzilla fails',
    documented: 'in 5.2 a database error',
    explains: (_, there) => 'code' in there && CRASHED.has(there.code),
  },
  {
    name: 'both refuse',
    documented: 'of several faults of a search another one may be named',
    explains: (_, there, here) => isRefused(there) && isRefused(here),
  },
  {
    name: 'no time',
    documented: 'what is no time is refused',
    explains: (_, __, here) => isRefused(here, 56),
  },
  {
    name: 'no number',
    documented: 'a text is not read as the number that it begins with',
    explains: (search, _, here) =>
      isRefused(here, 52) ||
      search.parameters.some(([name, value]) => NUMBERS.test(name) && !isNumber(value)) ||
      hasChart(search, ({ field, value }) => NUMBERS.test(field) && !NUMBER.test(value)),
  },
  {
    name: 'empty lists',
    documented: 'what is not there is empty',
    explains: (search) =>
      hasChart(search, ({ field, operator }) => operator.startsWith('is') && LISTS.test(field)),
  },
  {
    name: 'pronouns',
    documented: 'a pronoun is one with each operator',
    explains: (search) => hasChart(search, ({ value }) => /^\s*%.+%\s*$/.test(value)),
  },
  {
    name: 'negated twice',
    documented: 'a condition that `n1` and `not…` negate holds again',
    explains: (search) =>
      hasChart(search, ({ operator, isNegated }) => isNegated && operator.startsWith('no')),
  },
  {
    name: 'hours',
    documented: 'hours are compared as numbers',
    explains: (search) => hasChart(search, ({ field }) => HOURS.test(field)),
  },
  {
    name: 'no date',
    documented: 'A bug without a date is neither before nor after one',
    explains: (search) =>
      hasChart(search, ({ field, operator }) => DATES.test(field) && /^(less|great)/.test(operator)),
  },
  {
    name: 'comments of duplicates',
    documented: 'the words of comments on duplicates are found',
    explains: (search, there, here) =>
      hasChart(search, ({ field }) => /^(longdesc|content)$/.test(field)) &&
      'ids' in there &&
      'ids' in here &&
      new Set(there.ids).symmetricDifference(new Set(here.ids)).isSubsetOf(DUPLICATES),
  },
  {
    name: 'private comments',
    documented: 'private comments do not count in the order by `longdescs.count`',
    explains: ({ parameters }) => new Map(parameters).get('order')?.includes('longdescs.count') === true,
  },
];

/** The duplicate of the catalogue, and its original. */
const DUPLICATES: ReadonlySet<number> = new Set([3, 13]);

/** The kind of a difference; undefined: it is not explained. */
export const kindOf = (search: Search, there: Answer, here: Answer): string | undefined =>
  KINDS.find(({ explains }) => explains(search, there, here))?.name;
