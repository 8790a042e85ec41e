import * as z from 'zod/mini';
import { flag, nullAsBlank, optional, text, texts, withDefault } from '../../lib/http/parameters.ts';
import type { UpdatableField } from '../../lib/products/schema.ts';

/** functions/README.md 4.3. */
export const productQuery = z.object({
  ids: texts,
  names: texts,
  type: texts,
});

/**
 * functions/README.md 4.4. Required parameters have errors of their own (functions/README.md 4); parameters that have the
 * name of a field and need no check are stored as they are given, or with their default.
 */
export const newProduct = z.object({
  name: optional(text),
  description: optional(text),
  version: optional(text),
  has_unconfirmed: withDefault(flag, true),
  classification: optional(text),
  default_milestone: optional(text),
  is_open: withDefault(flag, true),
  create_series: optional(flag),
});

/** Parameters of an update that set a field of the same name. */
const newValues = {
  name: nullAsBlank(text),
  default_milestone: nullAsBlank(text),
  description: nullAsBlank(text),
  has_unconfirmed: nullAsBlank(flag),
  is_active: nullAsBlank(flag),
} satisfies Record<UpdatableField, z.ZodMiniType>;

/** The name of a field in the changes of a response. */
export const responseName = (field: UpdatableField): string => (field === 'is_active' ? 'is_open' : field);

/** functions/README.md 4.5. */
export const productUpdate = z.object({
  ids: texts,
  names: texts,
  ...newValues,
  /** another name of is_active, which takes precedence */
  is_open: nullAsBlank(flag),
});
