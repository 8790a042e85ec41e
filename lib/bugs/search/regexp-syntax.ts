import { errors } from '../../errors.ts';
import {
  type Character,
  type CharacterSet,
  type CharacterTest,
  codeLength,
  foldCode,
  isCached,
} from './characters.ts';

/** A regular expression as a tree. */
export type Node =
  /** one character */
  | { kind: 'character'; set: CharacterSet }
  /** a condition on the characters before and after; undefined: there is none */
  | { kind: 'assertion'; holds: Assertion }
  | { kind: 'sequence'; parts: readonly Node[] }
  | { kind: 'choice'; parts: readonly Node[] }
  /** `max` may be infinite */
  | { kind: 'repetition'; of: Node; min: number; max: number };

export type Assertion = (before: Character | undefined, after: Character | undefined) => boolean;

/** Groups within groups, so that reading them does not exhaust the stack. */
const MAX_DEPTH = 100;

/**
 * Reads a regular expression: functions/bugs/README.md 3.2.
 *
 * @throws errors.patternInvalid (400, 32000), errors.patternTooComplex (400, 32000) for too many groups within groups
 */
export const parsePattern = (source: string): Node => new Parser(source).pattern();

const cheap = (accepts: CharacterTest): CharacterSet => ({ accepts, cost: 1 });
const not = ({ accepts, cost }: CharacterSet): CharacterSet => ({
  accepts: (character) => !accepts(character),
  cost,
});
/** What a pattern for one character finds in any case. */
const inAnyCase =
  (pattern: RegExp): CharacterTest =>
  ({ forms }) =>
    forms.some((code) => pattern.test(String.fromCodePoint(code)));
/** The same, computed once for each character that is cached. */
function cached(pattern: RegExp): CharacterSet {
  const test = inAnyCase(pattern);
  const known: boolean[] = [];
  return cheap((character) => {
    if (!isCached(character.folded)) return test(character);
    known[character.folded] ??= test(character);
    return known[character.folded] === true;
  });
}

const DIGIT = cheap(({ folded }) => folded >= 48 && folded <= 57);
const WORD = cheap((character) => character.isWord);
const SPACE = cached(/\s/u);

const CLASS_ESCAPES: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', DIGIT],
  ['D', not(DIGIT)],
  ['w', WORD],
  ['W', not(WORD)],
  ['s', SPACE],
  ['S', not(SPACE)],
]);
const CODE_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['0', 0],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
]);
const BACKSPACE = 8;

const POSIX_CLASSES: ReadonlyMap<string, CharacterSet> = new Map([
  ['alpha', cached(/\p{L}/u)],
  ['digit', DIGIT],
  ['alnum', cached(/[\p{L}\p{N}]/u)],
  ['upper', cached(/\p{Lu}/u)],
  ['lower', cached(/\p{Ll}/u)],
  ['space', SPACE],
  ['blank', cached(/[ \t]/u)],
  ['punct', cached(/[\p{P}\p{S}]/u)],
  ['cntrl', cached(/\p{Cc}/u)],
  ['graph', cached(/[^\p{Z}\p{C}]/u)],
  ['print', cached(/[^\p{Zl}\p{Zp}\p{C}]/u)],
  ['xdigit', cached(/[\da-f]/iu)],
  ['word', WORD],
]);

const isWordAt = (character: Character | undefined): boolean => character?.isWord === true;
const assertion = (holds: Assertion): Node => ({ kind: 'assertion', holds });
const START = assertion((before) => before === undefined);
const END = assertion((_, after) => after === undefined);
const WORD_EDGE = assertion((before, after) => isWordAt(before) !== isWordAt(after));
const WITHIN = assertion((before, after) => isWordAt(before) === isWordAt(after));
/** Word boundaries in the syntax of MySQL and PostgreSQL. */
const WORD_START = assertion((before, after) => !isWordAt(before) && isWordAt(after));
const WORD_END = assertion((before, after) => isWordAt(before) && !isWordAt(after));

const LINE_ENDS: ReadonlySet<number> = new Set([10, 13, 0x2028, 0x2029]);
const ANY = cheap(({ folded }) => !LINE_ENDS.has(folded));
/** Properties of characters are looked up in tables of V8. */
const PROPERTY_COST = 20;

const QUANTIFIER = /([*+?])|\{(\d+)(?:(,)(\d*))?\}/y;

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  pattern(): Node {
    const whole = this.#choice();
    if (this.#at < this.#source.length) throw this.#invalid();
    return whole;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return onlyOr('choice', parts);
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')'))
      parts.push(this.#repeated());
    return onlyOr('sequence', parts);
  }

  #repeated(): Node {
    const of = this.#atom();
    const [given, symbol, least, comma, most] = this.#match(QUANTIFIER) ?? [];
    if (given === undefined) return of;
    if (of.kind === 'assertion') throw this.#invalid();
    // Which of several matches is preferred does not matter: there is one or there is none.
    this.#take('?');
    const min = symbol === undefined ? Number(least) : symbol === '+' ? 1 : 0;
    const max =
      symbol === undefined ? maximum(min, comma, most) : symbol === '?' ? 1 : Number.POSITIVE_INFINITY;
    if (max < min) throw this.#invalid();
    return { kind: 'repetition', of, min, max };
  }

  #atom(): Node {
    if (this.#match(QUANTIFIER) !== undefined) throw this.#invalid();
    if (this.#take('(')) return this.#group();
    if (this.#take('[[:<:]]')) return WORD_START;
    if (this.#take('[[:>:]]')) return WORD_END;
    if (this.#take('[')) return this.#class();
    if (this.#take('.')) return { kind: 'character', set: ANY };
    if (this.#take('^')) return START;
    if (this.#take('$')) return END;
    if (this.#take('\\b')) return WORD_EDGE;
    if (this.#take('\\B')) return WITHIN;
    const one = this.#character();
    return { kind: 'character', set: typeof one === 'number' ? single(one) : one };
  }

  /** A group, capturing, named or neither, which makes no difference here. Other kinds look around or set options. */
  #group(): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw errors.patternTooComplex(this.#source);
    this.#match(/\?(?::|<[a-z_]\w*>)/iy);
    const inner = this.#choice();
    if (!this.#take(')')) throw this.#invalid();
    this.#depth -= 1;
    // An assertion in a group may be repeated.
    return { kind: 'sequence', parts: [inner] };
  }

  #class(): Node {
    const isNegated = this.#take('^');
    const singles = new Set<number>();
    const ranges: [from: number, to: number][] = [];
    const sets: CharacterSet[] = [];
    const add = (one: number | CharacterSet) =>
      typeof one === 'number' ? singles.add(foldCode(one)) : sets.push(one);
    // As in POSIX, `]` at the beginning is one of the characters.
    for (let isFirst = true; isFirst || !this.#take(']'); isFirst = false) {
      const from = this.#classItem();
      const [dash] = this.#match(/-(?!\])/y) ?? [];
      if (dash === undefined) {
        add(from);
        continue;
      }
      const to = this.#classItem();
      if (typeof from === 'number' && typeof to === 'number') {
        if (to < from) throw this.#invalid();
        ranges.push([from, to]);
      } else {
        for (const one of [from, '-'.charCodeAt(0), to]) add(one);
      }
    }
    const whole: CharacterSet = {
      accepts: (character) =>
        singles.has(character.folded) ||
        ranges.some(([from, to]) => character.forms.some((code) => code >= from && code <= to)) ||
        sets.some(({ accepts }) => accepts(character)),
      cost: sets.reduce((sum, { cost }) => sum + cost, 1 + ranges.length),
    };
    return { kind: 'character', set: isNegated ? not(whole) : whole };
  }

  #classItem(): number | CharacterSet {
    const [posix, name = ''] = this.#match(/\[:(\w+):\]/y) ?? [];
    if (posix !== undefined) return POSIX_CLASSES.get(name) ?? this.#refuse();
    return this.#take('\\b') ? BACKSPACE : this.#character();
  }

  /** A character, or several of which one is meant, that may be escaped. */
  #character(): number | CharacterSet {
    if (this.#take('\\')) return this.#escape();
    return this.#next();
  }

  #escape(): number | CharacterSet {
    const [property, sign, name = ''] = this.#match(/(p)\{([\w=]+)\}/iy) ?? [];
    if (property !== undefined) {
      const set = this.#property(name);
      return sign === 'p' ? set : not(set);
    }
    const [, short, long, inBraces] = this.#match(/x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}/iy) ?? [];
    const hexadecimal = short ?? long ?? inBraces;
    if (hexadecimal !== undefined) {
      const code = Number.parseInt(hexadecimal, 16);
      return code > 0x10ffff ? this.#refuse() : code;
    }
    const code = this.#next();
    const letter = String.fromCodePoint(code);
    const meant = CLASS_ESCAPES.get(letter) ?? CODE_ESCAPES.get(letter);
    // Back-references among them.
    if (meant === undefined && /^[\da-z]$/i.test(letter)) throw this.#invalid();
    return meant ?? code;
  }

  #property(name: string): CharacterSet {
    try {
      return { accepts: inAnyCase(new RegExp(`\\p{${name}}`, 'u')), cost: PROPERTY_COST };
    } catch {
      throw this.#invalid();
    }
  }

  #next(): number {
    const code = this.#source.codePointAt(this.#at) ?? this.#refuse();
    this.#at += codeLength(code);
    return code;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const isThere = this.#sees(text);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  /** Consumes what a sticky pattern matches at the current position. */
  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #refuse(): never {
    throw this.#invalid();
  }

  #invalid() {
    return errors.patternInvalid(this.#source);
  }
}

function single(code: number): CharacterSet {
  const expected = foldCode(code);
  return cheap(({ folded }) => folded === expected);
}

function onlyOr(kind: 'choice' | 'sequence', parts: readonly Node[]): Node {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : { kind, parts };
}

/** `{n}`, `{n,}`, `{n,m}` */
function maximum(min: number, comma: string | undefined, most: string | undefined): number {
  if (comma === undefined) return min;
  return most === '' || most === undefined ? Number.POSITIVE_INFINITY : Number(most);
}
