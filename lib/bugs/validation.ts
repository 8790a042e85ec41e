import { errors } from '../errors.ts';
import type { ProductItem } from '../products/schema.ts';
import { characters } from '../text.ts';

const MAX_SUMMARY_LENGTH = 255;
const MAX_ALIAS_LENGTH = 40;

/**
 * A bug's summary on one line, trimmed.
 *
 * @throws errors.summaryMissing, errors.summaryTooLong (400, 107)
 */
export function checkSummary(given: string): string {
  const summary = given.replace(/[\r\n]+/g, ' ').trim();
  if (summary === '') throw errors.summaryMissing();
  if (characters(summary) > MAX_SUMMARY_LENGTH) throw errors.summaryTooLong(MAX_SUMMARY_LENGTH);
  return summary;
}

/** @throws errors.aliasInvalid (400, 103) for one that is a number, has white space or commas, or is too long */
export function checkAlias(alias: string): void {
  const isUsable = !/^\d+$|[\s,]|\p{Cc}/u.test(alias) && characters(alias) <= MAX_ALIAS_LENGTH;
  if (!isUsable) throw errors.aliasInvalid(alias);
}

/** The groups that a product puts its new bugs into: those that it demands, and those that it proposes. */
export function groupsOfNewBug(product: ProductItem): string[] {
  return product.group_controls
    .filter(({ membercontrol }) => membercontrol === 'MANDATORY' || membercontrol === 'DEFAULT')
    .map(({ group }) => group);
}
