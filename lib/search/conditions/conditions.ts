import { andThen, type Eventual, type SearchedBug } from './searched-bug.ts';

/**
 * What the word index has to say of a condition: a bug that meets it has all words of one of these groups in its
 * comments.
 */
export type IndexTerms = readonly (readonly string[])[];

/** Whether a bug meets a condition; undefined: the search index does not tell, so the bug has to be read. */
export type Answer = boolean | undefined;

/** A condition on one field. */
export interface FieldCondition {
  field: string;
  operator: string;
  /** what to compare with; several: one of them, each as it is */
  given: string | readonly string[];
  /** see costOf */
  cost: number;
  test(searched: SearchedBug): Eventual<Answer>;
  /** the words that the comments of a bug must have to meet it */
  indexTerms?: IndexTerms | undefined;
  /** the same test of values that are known without a bug; absent: it looks at more than values */
  testValues?(values: readonly string[]): boolean;
  /** the values that it tests */
  values?: (searched: SearchedBug) => Eventual<readonly string[] | undefined>;
  /** the changes of the field that it looks at, one of which has to meet it */
  events?: {
    read(searched: SearchedBug): Eventual<readonly FieldEvent[] | undefined>;
    isMet(event: FieldEvent): boolean;
  };
}

/** One change of a field. */
export interface FieldEvent {
  /** login */
  who: string;
  when: string;
  removed: string;
  added: string;
}

/** What a bug has to meet. */
export type Condition =
  | FieldCondition
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: Condition };

/** The condition that every bug meets. */
export const ANYTHING: Condition = { all: [] };

/** What deciding a condition costs: 0: comparing one of few values, 1: a text, 2: further reads. */
function costOf(condition: Condition): number {
  if ('not' in condition) return costOf(condition.not);
  if ('field' in condition) return condition.cost;
  return Math.max(0, ...partsOf(condition).map(costOf));
}

const partsOf = (condition: { all: readonly Condition[] } | { any: readonly Condition[] }) =>
  'all' in condition ? condition.all : condition.any;

/** The same condition, in which what costs less is looked at first. */
export function cheapFirst(condition: Condition): Condition {
  if ('field' in condition) return condition;
  if ('not' in condition) return { not: cheapFirst(condition.not) };
  const isAll = 'all' in condition;
  const parts = partsOf(condition)
    .map(cheapFirst)
    .flatMap((part): readonly Condition[] => {
      if (isAll) return 'all' in part ? part.all : [part];
      return 'any' in part ? part.any : [part];
    })
    .toSorted((a, b) => costOf(a) - costOf(b));
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  return isAll ? { all: parts } : { any: parts };
}

/** Whether a bug meets a condition: by what the index has of it, or by what was read. */
export function meets(condition: Condition, searched: SearchedBug): Eventual<Answer> {
  if ('not' in condition) {
    return andThen(meets(condition.not, searched), (met) => (met === undefined ? undefined : !met));
  }
  if ('all' in condition) return decide(condition.all, false, searched);
  return 'any' in condition ? decide(condition.any, true, searched) : condition.test(searched);
}

/** The answer of several conditions, of which the first with the deciding answer decides. */
function decide(
  conditions: readonly Condition[],
  deciding: boolean,
  searched: SearchedBug,
  from = 0,
  isKnown = true,
): Eventual<Answer> {
  let areKnown = isKnown;
  for (let at = from; at < conditions.length; at += 1) {
    const condition = conditions[at];
    const met = condition === undefined ? !deciding : meets(condition, searched);
    if (met instanceof Promise) {
      return met.then((answer) =>
        answer === deciding
          ? deciding
          : decide(conditions, deciding, searched, at + 1, areKnown && answer !== undefined),
      );
    }
    if (met === deciding) return deciding;
    if (met === undefined) areKnown = false;
  }
  return areKnown ? !deciding : undefined;
}
