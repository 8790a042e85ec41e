import type { RE2JS } from 're2js';
import { composed } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { RequestBudget } from '../../table/request-budget.ts';
import type { SearchParameters } from './search-context.ts';

/** One character by its code point, or several as they are written in a class of RE2. */
type Characters = number | string;

/** RE2's own `.`, `\s` and POSIX classes are those of ASCII. */
const ANY = '[^\\n\\r\\x{2028}\\x{2029}]';
const SPACE = '\\p{White_Space}';

const ESCAPES: ReadonlyMap<string, Characters> = new Map<string, Characters>([
  ['d', '\\d'],
  ['D', '\\D'],
  ['w', '\\w'],
  ['W', '\\W'],
  ['s', SPACE],
  ['S', '\\P{White_Space}'],
  ['0', 0],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
]);
const BACKSPACE = 8;

const POSIX_CLASSES: ReadonlyMap<string, string> = new Map([
  ['alpha', '\\p{L}'],
  ['digit', '\\d'],
  ['alnum', '\\p{L}\\p{N}'],
  ['upper', '\\p{Lu}'],
  ['lower', '\\p{Ll}'],
  ['space', SPACE],
  ['blank', ' \\t'],
  ['punct', '\\p{P}\\p{S}'],
  ['cntrl', '\\p{Cc}'],
  ['graph', '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}'],
  ['print', '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}'],
  ['xdigit', '\\da-f'],
  ['word', '\\w'],
]);

/** The maximum of RE2. */
const MAX_COUNT = 1_000;
/** Characters and assertions, with repetitions written out. */
const MAX_SIZE = 2_000;
const MAX_REGEXP_DEPTH = 100;
/** What each character of a range adds to the size: RE2 looks for its other cases one by one. */
const RANGE_SIZE = 1 / 1_000;

const GROUP = /\((?:\?(?::|<[a-z_]\w*>))?/iy;
/** `[[:<:]]` and `[[:>:]]` are word boundaries in the syntax of MySQL and PostgreSQL. */
const ASSERTION = /\^|\$|\\b|\\B|\[\[:[<>]:\]\]/y;
const QUANTIFIER = /([*+?])\??|\{(\d+)(?:(,)(\d*))?\}\??/y;
const CODE_POINT = /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\})/iy;

/** An expression in the syntax of RE2. */
interface Translation {
  pattern: string;
  /** how many states it takes, about */
  size: number;
}

/** Translates a regular expression (functions/bugs/README.md 3.2) to the syntax of RE2. */
class Translator {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Translation {
    const whole = this.#choice(0);
    return this.#at < this.#source.length ? this.#refuse() : whole;
  }

  #choice(depth: number): Translation {
    if (depth > MAX_REGEXP_DEPTH) throw this.#tooComplex();
    let pattern = '';
    let size = 0;
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      const part = this.#take(/\|/y)
        ? { pattern: '|', size: 1 }
        : (this.#assertion() ?? this.#repeated(depth));
      pattern += part.pattern;
      size += part.size;
      if (size > MAX_SIZE) throw this.#tooComplex();
    }
    return { pattern, size };
  }

  #assertion(): Translation | undefined {
    const [assertion] = this.#take(ASSERTION) ?? [];
    if (assertion === undefined) return undefined;
    return this.#take(QUANTIFIER)
      ? this.#refuse()
      : { pattern: assertion.startsWith('[') ? '\\b' : assertion, size: 1 };
  }

  #repeated(depth: number): Translation {
    const { pattern, size } = this.#take(GROUP) ? this.#group(depth) : this.#atom();
    const [quantifier, symbol, least, comma = '', most = ''] = this.#take(QUANTIFIER) ?? [];
    if (quantifier === undefined) return { pattern, size };
    if (symbol !== undefined) return { pattern: `${pattern}${symbol}`, size: size + 1 };
    const min = Number(least);
    const max = Number(most || min);
    if (max < min) this.#refuse();
    if (max > MAX_COUNT) throw this.#tooComplex();
    return { pattern: `${pattern}{${min}${comma}${most && max}}`, size: size * Math.max(max, 1) + 1 };
  }

  /** A group, capturing, named or neither, which makes no difference here. Other kinds look around or set options. */
  #group(depth: number): Translation {
    const { pattern, size } = this.#choice(depth + 1);
    return this.#take(/\)/y) ? { pattern: `(?:${pattern})`, size: Math.max(size, 1) } : this.#refuse();
  }

  #atom(): Translation {
    if (this.#take(QUANTIFIER)) this.#refuse();
    if (this.#take(/\[/y)) return this.#class();
    if (this.#take(/\./y)) return { pattern: ANY, size: 1 };
    return { pattern: `[${spell(this.#characters())}]`, size: 1 };
  }

  #class(): Translation {
    let pattern = this.#take(/\^/y) ? '[^' : '[';
    let size = 1;
    // As in POSIX, `]` at the beginning is one of the characters.
    for (let isFirst = true; isFirst || !this.#take(/\]/y); isFirst = false) {
      const from = this.#classItem();
      pattern += spell(from);
      if (typeof from === 'string') size += 1;
      if (!this.#take(/-(?!\])/y)) continue;
      const to = this.#classItem();
      const isRange = typeof from === 'number' && typeof to === 'number';
      pattern += `${isRange ? '-' : '\\-'}${spell(to)}`;
      size += isRange ? 1 + (to - from) * RANGE_SIZE : 1;
    }
    return { pattern: `${pattern}]`, size };
  }

  #classItem(): Characters {
    const [, name] = this.#take(/\[:(\w+):\]/y) ?? [];
    if (name !== undefined) return POSIX_CLASSES.get(name) ?? this.#refuse();
    return this.#take(/\\b/y) ? BACKSPACE : this.#characters();
  }

  /** A character, or several of which one is meant, that may be escaped. */
  #characters(): Characters {
    const [, sign, property] = this.#take(/\\(p)\{(?:\w+=)?(\w+)\}/iy) ?? [];
    if (property !== undefined) return `\\${sign}{${property}}`;
    const [, short, long, inBraces] = this.#take(CODE_POINT) ?? [];
    const hexadecimal = short ?? long ?? inBraces;
    if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
    const [, plain, escaped = ''] = this.#take(/([^\\])|\\(.)/suy) ?? [];
    // Back-references are refused, too.
    const isItself = plain !== undefined || !/^[\da-z]$/i.test(escaped);
    return (isItself ? (plain ?? escaped).codePointAt(0) : ESCAPES.get(escaped)) ?? this.#refuse();
  }

  /** Consumes what a sticky pattern matches at the current position. */
  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #refuse(): never {
    throw errors.patternInvalid(this.#source);
  }

  #tooComplex() {
    return errors.patternTooComplex(this.#source);
  }
}

const spell = (characters: Characters): string =>
  typeof characters === 'number' ? `\\x{${characters.toString(16)}}` : characters;

/** Steps for each state of an expression: what it takes to compile it. */
const COMPILATION_STEPS = 500;
/** The letters outside ASCII that are the same as one of ASCII in another case: RE2's `\b` takes ASCII only as words. */
const EQUIVALENT_TO_ASCII = /[\u017f\u212a]/g;

/** The matcher: 150 KB, which most requests do not need. */
let matcher: typeof import('re2js') | undefined;

/** Loads the matcher, once, where parameters of a search may have a regular expression. Before `patternTest`. */
export async function loadMatcher(parameters?: SearchParameters): Promise<void> {
  const mayHave =
    parameters?.values().some((given) => given.some((value) => value.includes('regexp'))) ?? true;
  if (mayHave) matcher ??= await import('re2js');
}

/**
 * A test for texts in which a regular expression matches somewhere, in any case. It takes time in proportion to the
 * length of the text (RE2): V8's own matcher backtracks, which may take forever.
 *
 * @param budget of steps: one is taken for each character, and for each byte of the automaton's states, which are built as texts
 * need them. When they outgrow their memory, RE2 simulates the expression instead: a step for each character and
 * instruction.
 */
export function patternTest(source: string, budget: RequestBudget): (text: string) => boolean {
  const { pattern, size } = new Translator(composed(source)).whole();
  budget.patternSteps.take(size * COMPILATION_STEPS, source);
  const compiled = compile(pattern, source);
  const automaton = compiled.re2().dfa;
  let length = 0;
  const countSimulation = () => budget.patternSteps.take(length * compiled.programSize(), source);
  // Building the states again and again would take longer than the simulation.
  automaton.clearCache = () => {
    countSimulation();
    automaton.failed = true;
  };
  return (text) => {
    length = text.length;
    if (automaton.failed) countSimulation();
    else budget.patternSteps.take(length, source);
    const free = automaton.memBudget;
    const isFound = compiled.test(
      composed(text).replace(EQUIVALENT_TO_ASCII, (letter) => letter.normalize('NFKC')),
    );
    budget.patternSteps.take(free - automaton.memBudget, source);
    return isFound;
  };
}

/** What RE2 refuses because of its size. */
const TOO_COMPLEX: ReadonlySet<string> = new Set(['invalid repeat count', 'expression too large']);

function compile(pattern: string, source: string): RE2JS {
  if (matcher === undefined) throw new Error('The matcher of regular expressions is not loaded');
  const { RE2JS, RE2JSSyntaxException } = matcher;
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw TOO_COMPLEX.has(error.getDescription())
      ? errors.patternTooComplex(source)
      : errors.patternInvalid(source);
  }
}
