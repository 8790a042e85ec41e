import type { Search } from './generate.ts';

/** What a server answers to a search: ids, ascending where no order was asked for, or status and code. */
export type Answer = { ids: number[] } | { status: number; code: number };

/** A condition of a search: a chart, a parameter (its operator is empty) or a whole quicksearch. */
interface Part {
  field: string;
  operator: string;
  value: string;
  isNegated: boolean;
  /** the parameters that it is sent as */
  names: readonly string[];
}

/** A kind of differences on purpose. It needs what both answer, or a part of the search that causes it, or both. */
interface Kind {
  /** as functions/DIFFERENCES.md has it */
  name: string;
  tells?(there: Answer, here: Answer, search: Search): boolean;
  isCause?(part: Part): boolean;
}

const NO_CONDITIONS: ReadonlySet<string> = new Set(['order', 'limit', 'offset', 'j_top']);

function partsOf({ parameters }: Search): Part[] {
  const given = new Map(parameters);
  return parameters.flatMap(([name, value]): Part[] => {
    const [, n] = /^f(\d+)$/.exec(name) ?? [];
    const one = (prefix: string) => given.get(`${prefix}${n}`) ?? '';
    if (n !== undefined) {
      const names = ['f', 'o', 'v', 'n'].map((prefix) => `${prefix}${n}`);
      return [{ field: value, operator: one('o'), value: one('v'), isNegated: given.has(`n${n}`), names }];
    }
    if (/^[ovn]\d+$/.test(name) || NO_CONDITIONS.has(name)) return [];
    return [{ field: name, operator: '', value, isNegated: false, names: [name] }];
  });
}

const isRefused = (answer: Answer, code?: number): boolean =>
  'code' in answer && answer.status < 500 && (code === undefined || answer.code === code);
/** The codes of errors of Bugzilla's own code and its database; 0: its web server's. */
const CRASHED = new Set([100500, 68000, 0]);

const NUMBERS =
  /^(cf_int|cf_bug|days_elapsed|longdescs\.(count|isprivate)|attachments\.is\w+|everconfirmed|bug_id|is_confirmed|estimated_time|is_open|(is_)?(creator|cc|reporter|cclist)_accessible|(work|remaining|actual)_time|percentage_complete|id|blocks|depends_on|blocked|dependson)$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const DATES = /^(cf_day|cf_when|deadline)$/;
const TIMES =
  /^(cf_day|cf_when|deadline|creation_(ts|time)|delta_ts|last_(change_time|visit_ts)|owner_idle_time)$/;
const LISTS =
  /^(alias|keywords|cc|flagtypes|requestees|setters|attachments|attach_data|longdesc|comment_tag|see_also|dependson|blocked|depends_on|blocks|tag|work_time|commenter|dupe_of|cf_multi|bug_group)(s?$|\.|s_)/;
const PRONOUN = /%[\w.-]+%/;
const IN_WORDS = /words|substr|regexp|anyexact/;
const STOP_WORD =
  /(^|[\s,|-])"?(a|about|an|are|as|at|be|by|com|de|en|for|from|how|i|in|is|it|la|of|on|or|that|the|this|to|was|what|when|where|who|will|with|und|www)"?($|[\s,|])/i;

const isQuicksearch = (matches: RegExp) => (part: Part) =>
  part.field === 'quicksearch' && matches.test(part.value);
const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

const bothFind = (there: Answer, here: Answer): boolean => 'ids' in there && 'ids' in here;

/** Both find bugs, and a search of one condition the fewer here, or there where it negates. */
function findsFewer(there: Answer, here: Answer, search: Search): boolean {
  if (!('ids' in there && 'ids' in here)) return false;
  const [part, ...others] = partsOf(search);
  const isCut = search.parameters.some(([name]) => name === 'limit' || name === 'offset');
  if (part === undefined || others.length > 0 || isCut) return true;
  const negates = part.isNegated !== part.operator.startsWith('no');
  const [fewer, more] = negates ? [there, here] : [here, there];
  return new Set(fewer.ids).isSubsetOf(new Set(more.ids));
}

/** The duplicate of the catalogue, and its original. */
const DUPLICATES: ReadonlySet<number> = new Set([3, 13]);

/** Why an answer may differ; the first that explains it counts. */
export const KINDS: readonly Kind[] = [
  {
    name: 'Bugzilla fails',
    tells: (there) => 'code' in there && CRASHED.has(there.code),
  },
  {
    name: 'both refuse',
    tells: (there, here) => isRefused(there) && isRefused(here),
  },
  {
    name: 'no time',
    tells: (_, here) => isRefused(here, 56),
    isCause: ({ field, operator }) => TIMES.test(field) || /^changed(before|after)$/.test(operator),
  },
  {
    name: 'privacy of comments',
    tells: (_, here) => isRefused(here, 304),
    isCause: ({ field }) => field === 'longdescs.isprivate',
  },
  {
    name: 'private comments',
    tells: (there, here, { parameters }) =>
      new Map(parameters).get('order')?.startsWith('longdescs.count') === true &&
      'ids' in there &&
      'ids' in here &&
      (new Map(parameters).has('limit') || isSame(there.ids, here.ids)),
  },
  {
    name: 'no number',
    tells: (there, here, search) => isRefused(here, 52) || findsFewer(there, here, search),
    isCause: ({ field, operator, value }) => {
      const numbers = operator === '' || IN_WORDS.test(operator) ? value.split(/[\s,]+/) : [value];
      const isNumeric = numbers.every((one) => one === '' || NUMBER.test(one));
      return NUMBERS.test(field) && !operator.startsWith('is') && !isNumeric;
    },
  },
  {
    name: 'no number in a quicksearch',
    tells: (_, here) => isRefused(here, 52),
    isCause: isQuicksearch(/[<>=]/),
  },
  {
    name: 'pronouns',
    tells: bothFind,
    isCause: ({ value }) => PRONOUN.test(value),
  },
  {
    name: 'numbers as words',
    tells: bothFind,
    isCause: ({ field, operator }) => NUMBERS.test(field) && IN_WORDS.test(operator),
  },
  {
    name: 'empty lists',
    isCause: ({ field, operator, isNegated }) =>
      (operator.startsWith('is') && LISTS.test(field)) ||
      (field === 'qa_contact_realname' && (isNegated || /^(no|is|less)/.test(operator))),
  },
  {
    name: 'none negated',
    isCause: ({ field, operator, value }) =>
      LISTS.test(field) && operator.startsWith('no') && value.trim() === '---',
  },
  {
    name: 'no tags of comments',
    isCause: ({ field, value }) => field === 'comment_tag' && value.trim() === '---',
  },
  {
    name: 'negated twice',
    isCause: ({ operator, isNegated }) => isNegated && operator.startsWith('no'),
  },
  {
    name: 'no date',
    tells: bothFind,
    isCause: (part) =>
      (DATES.test(part.field) && (part.isNegated || /^(less|great|no)/.test(part.operator))) ||
      (DATES.test(part.field) && IN_WORDS.test(part.operator)) ||
      isQuicksearch(/(deadline|cf_when|cf_day)[:=<>]/)(part),
  },
  {
    name: 'no visit',
    isCause: ({ field, operator, isNegated }) =>
      field === 'last_visit_ts' && (isNegated || operator.startsWith('no')),
  },
  {
    name: 'negated changes of comments',
    isCause: ({ field, operator, isNegated }) =>
      isNegated && /^(longdesc|work_time)/.test(field) && operator.startsWith('changed'),
  },
  {
    name: 'negated in a group',
    tells: (_, __, { parameters }) => new Map(parameters).get('j_top') === 'AND_G',
    isCause: ({ isNegated }) => isNegated,
  },
  {
    name: 'data of attachments',
    isCause: ({ field }) => field === 'attach_data.thedata',
  },
  {
    name: 'stop words',
    isCause: isQuicksearch(STOP_WORD),
  },
  {
    name: 'quotes of a quicksearch',
    isCause: isQuicksearch(/(^|[\s|,-])[#:@[!]\S*"|[=|,-]'/),
  },
  {
    name: 'several signs in a term',
    isCause: isQuicksearch(/[:=<>][^\s:=<>]*[:=<>]/),
  },
  {
    name: 'a quicksearch of 0',
    isCause: isQuicksearch(/^[\s,]*0[\s,]*$/),
  },
  {
    name: 'empty limit',
    tells: (there, _, { parameters }) => isRefused(there, 50) && new Map(parameters).get('limit') === '',
    isCause: ({ field }) => field === 'quicksearch',
  },
  {
    name: 'comments of duplicates',
    tells: (there, here) =>
      'ids' in there &&
      'ids' in here &&
      new Set(there.ids).symmetricDifference(new Set(here.ids)).isSubsetOf(DUPLICATES),
    isCause: ({ field }) => /^(longdesc|content)$/.test(field),
  },
];

/** An explanation of a difference. */
export interface Explanation {
  kind: string;
  /** the search without the parts that cause it, to be explained in turn; undefined: nothing is left, or the kind is of the whole search */
  rest?: Search | undefined;
}

/** Explains a difference by the first kind that fits. @returns undefined: none does */
export function explain(search: Search, there: Answer, here: Answer): Explanation | undefined {
  const parts = partsOf(search);
  for (const { name, tells, isCause } of KINDS) {
    if (tells !== undefined && !tells(there, here, search)) continue;
    if (isCause === undefined) return { kind: name };
    const causes = parts.filter(isCause);
    if (causes.length === 0) continue;
    const names = new Set(causes.flatMap((part) => part.names));
    const parameters = search.parameters.filter(([given]) => !names.has(given));
    return { kind: name, rest: causes.length < parts.length ? { ...search, parameters } : undefined };
  }
  return undefined;
}
