import type { RE2JS } from 're2js';
import { composed } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { RequestBudget } from '../../table/request-budget.ts';
import { translatePattern } from './regexp-syntax.ts';
import type { SearchParameters } from './search-parameters.ts';

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
  const { pattern, size } = translatePattern(composed(source));
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
