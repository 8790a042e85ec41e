import type { CoveredBug, SearchedBug } from './searched-bug.ts';

/**
 * What the word index has to say of a condition: a bug that meets it has all words of one of these groups in its
 * comments.
 */
export type Needles = readonly (readonly string[])[];

/** A condition on one field. */
export interface FieldCondition {
  field: string;
  operator: string;
  /** what to compare with; several: one of them, each as it is */
  given: string | readonly string[];
  isCostly: boolean;
  test(searched: SearchedBug): boolean | Promise<boolean>;
  /** the same from the search index; undefined, or absent: it does not tell */
  testEntry?: (covered: CoveredBug) => boolean | undefined;
  /** the words that the comments of a bug must have to meet it */
  needles?: Needles | undefined;
  /** the same test of values that are known without a bug; absent: it looks at more than values */
  testValues?(values: readonly string[]): boolean;
  /** the values that it tests */
  values?: (searched: SearchedBug) => readonly string[] | Promise<readonly string[]>;
  /** the changes of the field that it looks at, one of which has to meet it */
  events?: { read(searched: SearchedBug): Promise<readonly FieldEvent[]>; isMet(event: FieldEvent): boolean };
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

/** What the bug itself decides is looked at before what takes further reads. */
const cheapFirst = (conditions: readonly Condition[]): Condition[] => [
  ...conditions.filter((one) => !isCostly(one)),
  ...conditions.filter(isCostly),
];

/** Whether a bug meets a condition. */
export async function meets(condition: Condition, searched: SearchedBug): Promise<boolean> {
  if ('not' in condition) return !(await meets(condition.not, searched));
  if ('all' in condition) {
    for (const one of cheapFirst(condition.all)) if (!(await meets(one, searched))) return false;
    return true;
  }
  if ('any' in condition) {
    for (const one of cheapFirst(condition.any)) if (await meets(one, searched)) return true;
    return false;
  }
  return condition.test(searched);
}

/** The same as far as the search index tells; undefined: the bug has to be read. */
export function meetsByEntry(condition: Condition, covered: CoveredBug): boolean | undefined {
  if ('not' in condition) {
    const met = meetsByEntry(condition.not, covered);
    return met === undefined ? undefined : !met;
  }
  if (!('all' in condition) && !('any' in condition)) return condition.testEntry?.(covered);
  const [parts, deciding] = 'all' in condition ? [condition.all, false] : [condition.any, true];
  let isSure = true;
  for (const part of parts) {
    const met = meetsByEntry(part, covered);
    if (met === deciding) return deciding;
    if (met === undefined) isSure = false;
  }
  return isSure ? !deciding : undefined;
}
