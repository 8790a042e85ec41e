import * as z from 'zod';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/credentials.ts';
import { flag, nullAsBlank, optional, text, texts } from '../../lib/http/parameters.ts';

/** SPEC.md 4.2. */
export const productQuery = z.object({
  ids: texts.describe('Product ids.'),
  names: texts.describe('Product names, in any case.'),
  type: texts.describe('Groups of products: accessible, selectable, enterable.'),
});

/** SPEC.md 4.3. What is required is checked with errors of its own (REFERENCE.md 4). */
export const newProduct = z.object({
  name: optional(text).describe('Product name; globally unique.'),
  description: optional(text).describe('Description; simple HTML is allowed.'),
  version: optional(text).describe('Name of the first version.'),
  has_unconfirmed: optional(flag).describe('Allow the UNCONFIRMED status. Default: true.'),
  classification: optional(text).describe('Name of the classification. Default: Unclassified.'),
  default_milestone: optional(text).describe('Name of the first milestone.'),
  is_open: optional(flag).describe('Whether bugs may be entered. Default: true.'),
  create_series: optional(flag).describe('Accepted, and without effect: Bugless draws no charts.'),
});

const newValues = {
  name: nullAsBlank(text).describe('New name; only for one product.'),
  default_milestone: nullAsBlank(text).describe("One of each product's milestones."),
  description: nullAsBlank(text).describe('New description.'),
  has_unconfirmed: nullAsBlank(flag).describe('Allow the UNCONFIRMED status.'),
  is_open: nullAsBlank(flag).describe('Whether bugs may be entered.'),
  is_active: nullAsBlank(flag).describe('Another name of is_open.'),
};

/** SPEC.md 4.4. */
export const productUpdate = z.object({
  ids: texts.describe('More products to update, by id.'),
  names: texts.describe('More products to update, by name.'),
  ...newValues,
});

/** What may come with an update; anything else is a mistake that must not pass silently. REFERENCE.md 1. */
export const UPDATE_PARAMETERS: ReadonlySet<string> = new Set([
  ...Object.keys(productUpdate.shape),
  ...CREDENTIAL_PARAMETERS,
  'include_fields',
  'exclude_fields',
]);
