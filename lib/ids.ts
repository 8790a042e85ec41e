/**
 * An id as Bugzilla compares it when it selects by id: plain decimal digits, nothing before or after.
 * functions/README.md 4 (`ids` that match nothing).
 *
 * @returns undefined when it is not one
 */
export function plainId(given: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(given) ? Number(given) : undefined;
}

/** Whether a text is all digits, and so an id and never a name or alias. functions/README.md 4, 5. */
export function isAllDigits(given: string): boolean {
  return /^\d+$/.test(given);
}
