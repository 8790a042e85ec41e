import { errors } from '../errors.ts';
import { bytes, characters } from '../text.ts';

const MAX_NAME_LENGTH = 64;
/** What leaves room for the rest of an item: DynamoDB takes 400 KB. */
const MAX_DESCRIPTION_BYTES = 300_000;

/** The classification of a product that names none. REFERENCE.md 4. */
export const UNCLASSIFIED = 'Unclassified';

/**
 * A product's name, trimmed.
 *
 * @throws errors.productNameMissing, errors.productNameUnprintable (400, 700), errors.productNameTooLong (400, 701); REFERENCE.md 4
 */
export function checkProductName(given: string): string {
  const name = given.trim();
  if (name === '') throw errors.productNameMissing();
  if (/\p{Cc}/u.test(name)) throw errors.productNameUnprintable();
  if (characters(name) > MAX_NAME_LENGTH) throw errors.productNameTooLong(MAX_NAME_LENGTH);
  return name;
}

/**
 * A product's description, trimmed.
 *
 * @throws errors.productDescriptionMissing (400, 703), errors.parameterInvalid (400, 53) over 300,000 bytes; REFERENCE.md 4
 */
export function checkProductDescription(given: string): string {
  const description = given.trim();
  if (description === '') throw errors.productDescriptionMissing();
  if (bytes(description) > MAX_DESCRIPTION_BYTES) {
    throw errors.parameterInvalid('description', `it is longer than ${MAX_DESCRIPTION_BYTES} bytes`);
  }
  return description;
}

/**
 * The name of a product's first version, trimmed.
 *
 * @throws errors.productVersionMissing (400, 704), errors.parameterInvalid (400, 53) over 64 characters; REFERENCE.md 4
 */
export function checkVersionName(given: string): string {
  const version = given.trim();
  if (version === '') throw errors.productVersionMissing();
  return checkLength('version', version);
}

/**
 * The name of a product's first milestone, trimmed; blank: the deployment's own.
 *
 * @throws errors.parameterInvalid (400, 53) over 64 characters; REFERENCE.md 4
 */
export function checkMilestoneName(given: string, placeholder: string): string {
  return checkLength('default_milestone', given.trim() || placeholder);
}

function checkLength(parameter: string, name: string): string {
  if (characters(name) <= MAX_NAME_LENGTH) return name;
  throw errors.parameterInvalid(parameter, `it is longer than ${MAX_NAME_LENGTH} characters`);
}
