import { errors } from '../errors.ts';
import { limitedText } from '../limited-text.ts';
import { bytes, characters, hasInvisibleCharacter, trim } from '../text.ts';

/** Characters of the name of a product, version, milestone or component. */
export const MAX_NAME_LENGTH = 64;
/** Leaves room for the rest of the item: DynamoDB allows 400 KB. */
const MAX_DESCRIPTION_BYTES = 300_000;

/** The classification of a product that names none. */
export const UNCLASSIFIED = 'Unclassified';
export const UNCLASSIFIED_ID = 1;

/** A product's name, trimmed. */
export function checkProductName(given: string): string {
  const name = trim(given);
  if (name === '') throw errors.productNameMissing();
  if (hasInvisibleCharacter(name)) throw errors.productNameUnprintable();
  if (characters(name) > MAX_NAME_LENGTH) throw errors.productNameTooLong(MAX_NAME_LENGTH);
  return name;
}

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
export function checkVersionName(given: string): string {
  const version = trim(given);
  if (version === '') throw errors.productVersionMissing();
  return checkReleaseName('version', version);
}

/** The name of a product's first milestone, trimmed; blank: the default of the deployment. */
export function checkMilestoneName(given: string, placeholder: string): string {
  return checkReleaseName('default_milestone', trim(given) || placeholder);
}

function checkReleaseName(parameter: string, given: string): string {
  const name = limitedText(parameter, given, MAX_NAME_LENGTH);
  if (hasInvisibleCharacter(name)) {
    throw errors.parameterInvalid(parameter, 'it has control characters or invisible characters');
  }
  return name;
}
