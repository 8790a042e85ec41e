import * as z from 'zod/mini';
import { CUSTOM_KINDS, type CustomKind } from './kinds.ts';

/**
 * The kind of a custom field by its type.
 *
 * @throws Error for a type of which this version knows no kind: to take it for text would damage its values
 */
export function customKind(type: number): CustomKind {
  const kind = CUSTOM_KINDS.get(type);
  if (kind === undefined) throw new Error(`There are no custom fields of the type ${type}`);
  return kind;
}

/** The first id of a custom field: Bugzilla's own fields have lower ones. */
export const FIRST_CUSTOM_ID = 60;

/** A value of a drop-down or multi-select. */
const customValue = z.object({ name: z.string(), sort_key: z.int(), is_active: z.boolean() });
/** A custom field as the catalogue defines it and the table stores it. functions/bugs/README.md 8. */
export const customField = z.object({
  id: z.int(),
  /** `cf_…` */
  name: z.string(),
  display_name: z.string(),
  /** of one of CUSTOM_KINDS */
  type: z.int(),
  sort_key: z.int(),
  is_on_bug_entry: z.boolean(),
  is_obsolete: z.boolean(),
  is_mandatory: z.boolean(),
  /** the field, by its internal name, on whose value it depends whether the field is shown; null: it always is */
  visibility_field: z.nullable(z.string()),
  /** these values; a component as product and component */
  visibility_values: z.array(z.union([z.string(), z.array(z.string())])),
  /** of drop-downs and multi-selects, ordered */
  values: z.array(customValue),
});
export type CustomField = z.infer<typeof customField>;
