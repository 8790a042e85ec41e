import { isStopWord } from '../../bugs/comments/words.ts';
import { errors } from '../../errors.ts';
import { ANYTHING, type Condition } from './conditions.ts';
import { fieldCondition } from './field-condition.ts';
import { asPhrase } from './full-text.ts';
import { negation } from './operators.ts';
import { quicksearchFields } from './quicksearch-fields.ts';
import { splitUnquoted, unquoted } from './quoting.ts';
import type { SearchContext } from './search-context.ts';

/** The longer ones count first, as in Bugzilla; of the others the one that stands first. */
const SYMBOLS: readonly (readonly [string, string])[] = [
  ['!=', 'notequals'],
  ['>=', 'greaterthaneq'],
  ['<=', 'lessthaneq'],
  [':', 'substring'],
  ['=', 'equals'],
  ['>', 'greaterthan'],
  ['<', 'lessthan'],
];

/** A quicksearch that consists of numbers only selects bugs by id. */
const NUMBERS = /^[\d,\s]+$/;
const OPERATOR_WORDS = new Set(['AND', 'OR', 'NOT']);

/** Short words that name too many products or components. */
const TOO_COMMON = { product: ['row', 'new'], component: ['hang'] };

/**
 * The condition of a quicksearch: words that all have to be found, of open bugs unless it says otherwise. Parentheses
 * are characters as others.
 */
export function readQuicksearch(given: string, context: SearchContext): Condition {
  const text = given.replace(/^[\s,]+|[\s,]+$/g, '');
  if (text === '') throw errors.quicksearchEmpty();
  return new Quicksearch(text, context).condition();
}

class Quicksearch {
  readonly #text: string;
  readonly #context: SearchContext;
  readonly #fieldNames: ReadonlyMap<string, string>;
  #namesStatus = false;

  constructor(text: string, context: SearchContext) {
    this.#text = text;
    this.#context = context;
    this.#fieldNames = quicksearchFields(context.fields);
  }

  condition(): Condition {
    if (NUMBERS.test(this.#text)) {
      return { all: this.#on('bug_id', 'anyexact', this.#text.replace(/[,\s]+/g, ',')) };
    }
    const [first = '', ...others] = this.#words();
    const status = this.#statusOf(first);
    const terms = status === undefined ? [first, ...others] : others;
    // Words that comments are not searched for are not demanded beside others.
    const sought = terms.filter((term) => !isStopWord(term));
    const words = [...new Set(sought.length === 0 ? terms : sought)].map((term) => this.#word(term));
    if (status !== undefined) return { all: [status, ...words] };
    return { all: this.#namesStatus ? words : [...this.#statusIs(this.#context.workflow.open), ...words] };
  }

  /** The words that all have to be found; those that OR joins are one, with `|` between them. */
  #words(): string[] {
    const parts = splitUnquoted(this.#text, /\s+/y);
    if (parts === undefined) throw this.#invalid('a quote is not closed');
    const [first = ''] = parts;
    const last = parts.at(-1) ?? '';
    if (first === 'AND' || first === 'OR' || OPERATOR_WORDS.has(last)) {
      throw this.#invalid(`'${first === 'AND' || first === 'OR' ? first : last}' joins nothing`);
    }
    const words: string[] = [];
    let isAlternative = false;
    let isNegated = false;
    let before = '';
    for (const part of parts) {
      const isOperator = OPERATOR_WORDS.has(part);
      if (isOperator && isClash(before, part)) throw this.#invalid(`'${part}' follows '${before}'`);
      if (part === 'OR') isAlternative = true;
      else if (part === 'NOT') isNegated = !isNegated;
      else if (part !== 'AND' && !/^(--|\+\+)comments?$/i.test(part)) {
        const word = isNegated ? `-${part}` : part;
        if (isAlternative) words.push(`${words.pop()}|${word}`);
        else words.push(word);
        isAlternative = false;
        isNegated = false;
      }
      before = part;
    }
    return words;
  }

  /** What the first word says of the status: `ALL`, `OPEN`, or how statuses and resolutions begin. */
  #statusOf(first: string): Condition | undefined {
    if (first === 'ALL') return ANYTHING;
    if (first === 'OPEN') return { all: this.#statusIs(this.#context.workflow.open) };
    if (!/^[A-Z_]+(,[A-Z_]+)*$/.test(first)) return undefined;
    const begun = (names: readonly string[]) =>
      names.filter((name) => first.split(',').some((prefix) => name.startsWith(prefix)));
    const statuses = begun(this.#context.workflow.names);
    const resolutions = begun(this.#context.legal.resolution);
    if (statuses.length + resolutions.length === 0) return undefined;
    if (resolutions.length === 0) return { all: this.#statusIs(statuses) };
    const { closed } = this.#context.workflow;
    return {
      all: [
        ...this.#statusIs([...new Set([...statuses, ...closed])]),
        ...this.#on('resolution', 'anyexact', resolutions),
      ],
    };
  }

  #statusIs(statuses: readonly string[]): Condition[] {
    return this.#on('bug_status', 'anyexact', statuses);
  }

  /**
   * One word, or several of which one has to be found. What is not to be found ends an alternative, as in Bugzilla: `a|b` are one,
   * `-a|b` is `-a b`.
   */
  #word(word: string): Condition {
    const alternatives: Condition[][] = [[]];
    for (const term of new Set(splitUnquoted(word, /\|/y))) {
      const isNegated = term.startsWith('-');
      const sought = isNegated ? term.slice(1) : term;
      // `a||b`, `-`: what names nothing demands nothing.
      if (sought === '') continue;
      for (const condition of this.#term(sought, isNegated)) {
        alternatives.at(-1)?.push(condition);
        if (isNegated) alternatives.push([]);
      }
    }
    return { all: alternatives.filter(({ length }) => length > 0).map((any) => ({ any })) };
  }

  #term(term: string, isNegated: boolean): Condition[] {
    const charts = this.#byFirstCharacter(term) ?? this.#byField(term) ?? this.#byText(term);
    // A term may have several values, each of which is looked for in several fields.
    this.#context.budget.terms.take(
      new Set(charts.map(([, , value]) => String(value).replaceAll('"', ''))).size,
    );
    return charts.map((chart): Condition => {
      const all = withRequestee(chart).flatMap(([field, operator, value]) => {
        const contrary = isNegated ? negation(operator) : undefined;
        const on = this.#on(field, contrary ?? operator, value);
        return isNegated && contrary === undefined ? on.map((not) => ({ not })) : on;
      });
      return { all };
    });
  }

  #byFirstCharacter(term: string): Chart[] | undefined {
    if (term.length < 2) return undefined;
    const rest = unquoted(term.slice(1));
    const parts = rest.split(',').filter((part) => part !== '');
    switch (term.charAt(0)) {
      case '#':
        return [
          ['short_desc', 'substring', rest],
          ['content', 'matches', asPhrase(rest)],
        ];
      case ':':
        return parts.flatMap((part): Chart[] => [
          ['product', 'substring', part],
          ['component', 'substring', part],
        ]);
      case '@':
        return parts.map((part) => ['assigned_to', 'substring', part]);
      case '[':
        return [
          ['short_desc', 'substring', rest],
          ['status_whiteboard', 'substring', rest],
        ];
      case '!':
        return [['keywords', 'anywords', rest]];
      default:
        return undefined;
    }
  }

  /** `field:value`, `field1,field2=value1,value2`; `name?` and `name?requestee` are flags. */
  #byField(term: string): Chart[] | undefined {
    const fits = SYMBOLS.flatMap(([symbol, operator]) => {
      const [names, given, ...more] = splitUnquoted(term, symbolPattern(symbol)) ?? [];
      if (names === undefined || given === undefined || more.length > 0) return [];
      return [{ symbol, names, given, operator }];
    });
    const first =
      fits.find(({ symbol }) => symbol.length > 1) ??
      fits.toSorted((a, b) => a.names.length - b.names.length)[0];
    if (first !== undefined) {
      const { names, given, operator } = first;
      // What has no name, or no value, says nothing.
      const fields = new Set(names === '' ? [] : names.split(',').map((name) => this.#fieldOf(name)));
      const values = [...new Set(splitUnquoted(given, /,/y))].filter((value) => value !== '');
      return [...fields].flatMap((field) => values.map((value) => chartOf(field, operator, value)));
    }
    const isFlag = !/^(["']).*\1$/.test(term) && /^[^?]+\?[^?]*$/.test(term);
    return isFlag ? [['flagtypes.name', 'substring', term]] : undefined;
  }

  #fieldOf(given: string): string {
    const [only, ...others] = this.#fieldsNamed(given.toLowerCase());
    if (only === undefined) throw this.#invalid(`there is no field '${given}'`);
    if (others.length > 0)
      throw this.#invalid(`'${given}' may be the field ${[only, ...others].join(' or ')}`);
    if (only === 'bug_status' || only === 'resolution') this.#namesStatus = true;
    return only;
  }

  /** The fields that a name stands for, or a beginning of it; those of custom fields without `cf_`, too. */
  #fieldsNamed(given: string): readonly string[] {
    if (given === '') return [];
    for (const name of [given, `cf_${given}`]) {
      const exact = this.#fieldNames.get(name);
      if (exact !== undefined) return [exact];
      const begun = [...this.#fieldNames].filter(([known]) => known.startsWith(name));
      if (begun.length > 0) return [...new Set(begun.map(([, field]) => field))];
    }
    return [];
  }

  #byText(term: string): Chart[] {
    const words = new Set((splitUnquoted(term, /,/y) ?? []).map(unquoted).filter((word) => word !== ''));
    return [...words].flatMap((word): Chart[] => {
      const priorities = priorityRange(word, this.#context.legal.priority);
      if (priorities !== undefined) return [['priority', 'anyexact', priorities]];
      const isFor = (field: 'product' | 'component') =>
        word.length > 2 && !TOO_COMMON[field].includes(word.toLowerCase());
      return [
        ...(['product', 'component'] as const)
          .filter(isFor)
          .map((field): Chart => [field, 'substring', word]),
        ['alias', 'substring', word],
        // Here `---` is no keyword's name, and not that there is none.
        ...(word.trim() === '---' ? [] : [['keywords', 'anyexact', word] as const]),
        ['short_desc', 'substring', word],
        ['status_whiteboard', 'substring', word],
        ['content', 'matches', asPhrase(word)],
        ...(URL_LIKE.test(word) ? [['bug_file_loc', 'substring', word] as const] : []),
      ];
    });
  }

  #on(field: string, operator: string, value: string | readonly string[]): Condition[] {
    const condition = fieldCondition(field, operator, value, this.#context);
    return condition === undefined ? [] : [condition];
  }

  #invalid(problem: string) {
    return errors.quicksearchInvalid(this.#text, problem);
  }
}

type Chart = readonly [field: string, operator: string, value: string | readonly string[]];

const URL_LIKE = /\d+\.\d+\.\d+\.\d+|^[A-Za-z]+(\.[A-Za-z]+)+|:[\\/]{2}|localhost|mailto:?/;

const symbolPattern = (symbol: string) => new RegExp(symbol, 'y');

/** `a AND OR b`, `NOT AND`: there is nothing between the operators. */
const isClash = (before: string, part: string): boolean =>
  (before === 'AND' && part === 'OR') ||
  (before === 'OR' && part === 'AND') ||
  (before === 'NOT' && part !== 'NOT');

/** The operators of fields that no sign changes. */
const OWN_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['content', 'matches'],
  ['owner_idle_time', 'greaterthan'],
]);

function chartOf(field: string, operator: string, given: string): Chart {
  const isEmpty = /^(["'])\1$/.test(given) || (field === 'resolution' && given === '---');
  if (isEmpty) return [field, 'isempty', ''];
  return [field, OWN_OPERATORS.get(field) ?? operator, unquoted(given)];
}

/** `needinfo?login` is a flag, and a part of the login of its requestee: both have to be found. */
function withRequestee(chart: Chart): readonly Chart[] {
  const [field, , value] = chart;
  const isFlag = field === 'flagtypes.name' && typeof value === 'string';
  const [, flag, requestee] = (isFlag && /^([^?]+\?)([^?]+)$/.exec(value)) || [];
  if (flag === undefined || requestee === undefined) return [chart];
  return [
    [field, 'substring', flag],
    ['requestees.login_name', 'substring', requestee],
  ];
}

/** `P1` is the priority of that name, or the first one, `P1-3` the first three. */
function priorityRange(word: string, priorities: readonly string[]): readonly string[] | undefined {
  const [, from, to = from] = /^P(\d+)(?:-(\d+))?$/i.exec(word) ?? [];
  if (from === undefined) return undefined;
  const rankOf = (number: string | undefined): number => {
    const named = priorities.indexOf(`P${number}`);
    return named === -1 ? Math.max(0, Number(number) - 1) : named;
  };
  const ranks = [from, to].map(rankOf).sort((a, b) => a - b);
  const [first = 0, last = 0] = ranks;
  return priorities.slice(first, last + 1);
}
