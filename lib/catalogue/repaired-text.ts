import type { BugField } from '../bugs/fields/field.ts';
import { kindOf, type Shape } from '../bugs/fields/kinds.ts';
import { repairSummary, repairText, summaryProblem, textProblem } from '../bugs/validation.ts';

interface Rule {
  problemOf(given: string): string | undefined;
  repair(given: string): string;
}

/** Texts that are worth more than being left out. */
const RULES: Partial<Record<Shape, Rule>> = {
  summary: { problemOf: summaryProblem, repair: repairSummary },
  text: { problemOf: textProblem, repair: repairText },
};

/**
 * A text that a Bugzilla has, or that an earlier version of Bugless stored, as a catalogue may have it: put on one line,
 * or truncated.
 *
 * @returns the text, and the rule that it broke
 */
export function repairedText(field: BugField, value: string): { value: string; problem: string | undefined } {
  const rule = RULES[kindOf(field).shape];
  const problem = rule?.problemOf(value);
  return { value: rule === undefined || problem === undefined ? value : rule.repair(value), problem };
}
