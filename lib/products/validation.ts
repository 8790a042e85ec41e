import { errors } from '../errors.ts';
import { checkName, MAX_NAME_LENGTH } from '../names.ts';
import { bytes, trim } from '../text.ts';

/** Leaves room for the rest of the item: DynamoDB allows 400 KB. */
const MAX_DESCRIPTION_BYTES = 300_000;

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

/** The name of a product's first version, trimmed. */
export const checkVersionName = (given: string): string =>
  checkName('version', given, MAX_NAME_LENGTH, { blank: errors.productVersionMissing });

/** The name of a product's first milestone, trimmed; blank: the default of the deployment. */
export const checkMilestoneName = (given: string, placeholder: string): string =>
  checkName('default_milestone', trim(given) || placeholder, MAX_NAME_LENGTH);
