import { andThen, type Eventual, type SearchedBug } from './searched-bug.ts';

/**
 * What the word index has to say of a condition: a bug that meets it has all words of one of these groups in its
 * comments.
 */
export type Needles = readonly (readonly string[])[];

/** Whether a bug meets a condition; undefined: the search index does not tell, so the bug has to be read. */
export type Answer = boolean | undefined;

/** A condition on one field. */
export interface FieldCondition {
  field: string;
  operator: string;
  /** what to compare with; several: one of them, each as it is */
  given: string | readonly string[];
  isCostly: boolean;
  test(searched: SearchedBug): Eventual<Answer>;
  /** the words that the comments of a bug must have to meet it */
  needles?: Needles | undefined;
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

const isCostly = (condition: Condition): boolean => {
  if ('all' in condition) return condition.all.some(isCostly);
  if ('any' in condition) return condition.any.some(isCostly);
  return 'not' in condition ? isCostly(condition.not) : condition.isCostly;
};

/** The same condition, in which what the bug itself decides is looked at before what takes further reads. */
export function cheapFirst(condition: Condition): Condition {
  if ('not' in condition) return { not: cheapFirst(condition.not) };
  if ('all' in condition) return { all: ordered(condition.all) };
  return 'any' in condition ? { any: ordered(condition.any) } : condition;
}

const ordered = (conditions: readonly Condition[]): Condition[] =>
  [...conditions.filter((one) => !isCostly(one)), ...conditions.filter(isCostly)].map(cheapFirst);

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
