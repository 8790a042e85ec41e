import { errors } from '../../errors.ts';
import {
  type Character,
  type CharacterSet,
  type CharacterTest,
  characterOf,
  codeLength,
  isCached,
} from './characters.ts';
import { type Assertion, type Node, parsePattern } from './regexp-syntax.ts';
import type { SearchWork } from './search-work.ts';

/** A state of the automaton: what it takes to leave it, and the states after it. */
type State =
  | (CharacterSet & { kind: 'character'; next: number })
  | { kind: 'assertion'; holds: Assertion; next: number }
  | { kind: 'branch'; next: readonly number[] }
  | { kind: 'match' };

const MATCH = 0;
/** States with their comparisons, after counted repetitions are written out. */
const MAX_STATES = 2_000;
/** How much longer comparisons take of characters that are not cached. */
const UNCACHED_FACTOR = 20;
/** Maximum number of tests of a first character with which characters are skipped. */
const MAX_FIRSTS = 10;

/**
 * A test for texts in which a regular expression matches somewhere, in any case. It follows all states of a
 * nondeterministic finite automaton at once (Thompson's construction), so it takes time in proportion to the length of
 * the text times the number of states, whatever the expression: V8's own matcher backtracks, which may take forever.
 *
 * @param work counts the visited states
 * @throws errors.patternInvalid (400, 32000), errors.patternTooComplex (400, 32000) with too many states; the test:
 * errors.patternTooComplex as `work` throws
 */
export function patternTest(source: string, work: SearchWork): (text: string) => boolean {
  const automaton = new Automaton(source);
  return (text) => automaton.isFoundIn(text, work);
}

class Automaton {
  readonly #source: string;
  readonly #states: State[] = [{ kind: 'match' }];
  readonly #start: number;
  /** what a match begins with; undefined: it may be empty, or there are too many possibilities */
  readonly #firsts: readonly CharacterTest[] | undefined;
  /** by ASCII code: whether a match may begin with the character; absent: not known yet */
  readonly #begins: boolean[] = [];
  #size = 0;
  /** for each state the last step that visited it, so that none is visited twice in a step */
  readonly #visitedIn: Float64Array;
  #step = 0;
  #isMatch = false;

  constructor(source: string) {
    this.#source = source;
    this.#start = this.#compile(parsePattern(source), MATCH);
    this.#visitedIn = new Float64Array(this.#states.length);
    this.#firsts = this.#findFirsts();
  }

  isFoundIn(text: string, work: SearchWork): boolean {
    let pending: number[] = [];
    let reached: number[] = [];
    for (let at = 0; ; ) {
      const skipped = reached.length === 0 ? this.#skip(text, at) : 0;
      at += skipped;
      const before = at === 0 ? undefined : characterOf(codeBefore(text, at));
      const code = text.codePointAt(at);
      const after = code === undefined ? undefined : characterOf(code);
      [pending, reached] = [reached, pending];
      // A match may begin anywhere.
      pending.push(this.#start);
      const cost = this.#advance(pending, reached, before, after);
      const factor = code === undefined || isCached(code) ? 1 : UNCACHED_FACTOR;
      work.countSteps(skipped + cost * factor, this.#source);
      if (this.#isMatch || code === undefined) return this.#isMatch;
      at += codeLength(code);
    }
  }

  /** Moves on from the pending states over a character to those reached. */
  #advance(
    pending: number[],
    reached: number[],
    before: Character | undefined,
    after: Character | undefined,
  ): number {
    let cost = 1;
    this.#step += 1;
    this.#isMatch = false;
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const state = this.#states[at];
      if (state === undefined || this.#visitedIn[at] === this.#step) continue;
      this.#visitedIn[at] = this.#step;
      switch (state.kind) {
        case 'match':
          this.#isMatch = true;
          return cost;
        case 'assertion':
          cost += 1;
          if (state.holds(before, after)) pending.push(state.next);
          break;
        case 'branch':
          cost += state.next.length;
          for (const next of state.next) pending.push(next);
          break;
        case 'character':
          cost += state.cost;
          if (after !== undefined && state.accepts(after)) reached.push(state.next);
      }
    }
    return cost;
  }

  /** The number of characters from here on with which no match can begin. */
  #skip(text: string, start: number): number {
    let at = start;
    for (let code = text.charCodeAt(at); code < 128; code = text.charCodeAt(at)) {
      this.#begins[code] ??= this.#canBegin(code);
      if (this.#begins[code]) break;
      at += 1;
    }
    return at - start;
  }

  #canBegin(code: number): boolean {
    return this.#firsts?.some((accepts) => accepts(characterOf(code))) !== false;
  }

  /** What a match begins with if assertions are ignored. */
  #findFirsts(): CharacterTest[] | undefined {
    const firsts: CharacterTest[] = [];
    const found = new Set([this.#start]);
    for (const at of found) {
      const state = this.#states[at];
      if (state?.kind === 'character') firsts.push(state.accepts);
      else if (state?.kind === 'assertion') found.add(state.next);
      else if (state?.kind === 'branch') for (const next of state.next) found.add(next);
      else return undefined;
      if (firsts.length > MAX_FIRSTS) return undefined;
    }
    return firsts;
  }

  /** Adds the states of a part of the pattern, of which the last leads to `next`, and returns the first. */
  #compile(node: Node, next: number): number {
    switch (node.kind) {
      case 'character':
        return this.#add({ ...node.set, kind: node.kind, next }, node.set.cost);
      case 'assertion':
        return this.#add({ kind: node.kind, holds: node.holds, next }, 1);
      case 'sequence': {
        // One state where there are no parts, so that repetitions of nothing count, too.
        if (node.parts.length === 0) return this.#add({ kind: 'branch', next: [next] }, 1);
        return node.parts.reduceRight((following, part) => this.#compile(part, following), next);
      }
      case 'choice': {
        const branches = node.parts.map((part) => this.#compile(part, next));
        return this.#add({ kind: 'branch', next: branches }, 1);
      }
      case 'repetition':
        return this.#repeat(node, next);
    }
  }

  #repeat({ of, min, max }: Extract<Node, { kind: 'repetition' }>, next: number): number {
    let first = max === min ? this.#add({ kind: 'branch', next: [next] }, 1) : next;
    if (max === Number.POSITIVE_INFINITY) {
      const ways = [next];
      first = this.#add({ kind: 'branch', next: ways }, 1);
      ways.unshift(this.#compile(of, first));
    } else {
      for (let count = min; count < max; count += 1) {
        first = this.#add({ kind: 'branch', next: [this.#compile(of, first), next] }, 1);
      }
    }
    for (let count = 0; count < min; count += 1) first = this.#compile(of, first);
    return first;
  }

  #add(state: State, cost: number): number {
    this.#size += cost;
    if (this.#size > MAX_STATES) throw errors.patternTooComplex(this.#source);
    return this.#states.push(state) - 1;
  }
}

/** The code point that ends before a place. */
function codeBefore(text: string, end: number): number {
  const code = text.codePointAt(end - 2);
  return code !== undefined && codeLength(code) === 2 ? code : text.charCodeAt(end - 1);
}
