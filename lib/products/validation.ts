import { checkName, MAX_NAME_LENGTH } from '../base/names.ts';
import { bytes, trim, trimEnd } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { ProductNameItem } from './schema.ts';

/** Leaves room for the rest of the item: DynamoDB allows 400 KB. */
const MAX_DESCRIPTION_BYTES = 300_000;

const MAX_TEMPLATE_BYTES = 20_000;

/** The classification of a product that names none. */
export const UNCLASSIFIED = 'Unclassified';
export const UNCLASSIFIED_ID = 1;

/** A product's name, trimmed. */
export const checkProductName = (given: string): string =>
  checkName('name', given, MAX_NAME_LENGTH, {
    blank: errors.productNameMissing,
    tooLong: () => errors.productNameTooLong(MAX_NAME_LENGTH),
    invisible: errors.productNameUnprintable,
  });

/** A product's description, trimmed. */
export function checkProductDescription(given: string): string {
  const description = trim(given);
  if (description === '') throw errors.productDescriptionMissing();
  if (bytes(description) > MAX_DESCRIPTION_BYTES) {
    throw errors.parameterInvalid('description', `it is longer than ${MAX_DESCRIPTION_BYTES} bytes`);
  }
  return description;
}

/** The rule that a template of descriptions breaks; undefined when it is valid. */
export const templateProblem = (template: string): string | undefined =>
  bytes(template) > MAX_TEMPLATE_BYTES ? `must have at most ${MAX_TEMPLATE_BYTES} bytes` : undefined;

/** A template of descriptions as it is stored; blank: none. */
export function storedTemplate(given: string): { description_template?: string } {
  const description_template = trimEnd(given.replaceAll(/\r\n?/g, '\n'));
  return description_template === '' ? {} : { description_template };
}

/** The same of a request. */
export function checkTemplate(given: string): { description_template?: string } {
  const stored = storedTemplate(given);
  const problem = templateProblem(stored.description_template ?? '');
  if (problem !== undefined) throw errors.parameterInvalid('description_template', `it ${problem}`);
  return stored;
}

/** The name of a product's first version, trimmed. */
export const checkVersionName = (given: string): string =>
  checkName('version', given, MAX_NAME_LENGTH, { blank: errors.productVersionMissing });

/** The name of a version or a milestone, trimmed. */
export const checkReleaseName = (given: string): string =>
  checkName('name', given, MAX_NAME_LENGTH, { blank: () => errors.parameterMissing('name') });

const MAX_SORT_KEY = 99_999;

/** The sort key of a part of a product. */
export function checkSortKey(given: string): number {
  const key = /^\d{1,5}$/.test(trim(given)) ? Number(given) : -1;
  if (key < 0) throw errors.parameterInvalid('sort_key', `it must be a number from 0 to ${MAX_SORT_KEY}`);
  return key;
}

/** The name of a product's first milestone, trimmed; blank: the default of the deployment. */
export const checkMilestoneName = (given: string, placeholder: string): string =>
  checkName('default_milestone', trim(given) || placeholder, MAX_NAME_LENGTH);

/** The error for a name that a product has already. functions/README.md 4 (702). */
export function nameTaken(name: string, holder: ProductNameItem | undefined) {
  return holder === undefined || holder.name === name
    ? errors.productNameTaken(name)
    : errors.productNameDiffersInCase(name);
}
