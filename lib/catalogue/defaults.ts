import { FLAG_TYPE_DEFAULTS } from '../products/flag-types/validation.ts';
import { EMPTY_COMPONENT } from '../products/schema.ts';
import { UNCLASSIFIED } from '../products/validation.ts';

/** The values that a new entry has where the catalogue gives none. */
export const DEFAULTS = {
  group: { description: '' },
  apiKey: { description: '', revoked: false },
  user: { real_name: '', groups: [] },
  classification: { description: '' },
  keyword: { description: '' },
  bugField: {
    sort_key: 0,
    is_on_bug_entry: true,
    is_obsolete: false,
    is_mandatory: false,
    visibility_field: null,
    visibility_values: [],
    values: [],
  },
  component: EMPTY_COMPONENT,
  release: { sort_key: 0, is_active: true },
  flagType: FLAG_TYPE_DEFAULTS,
  product: {
    description: '',
    classification: UNCLASSIFIED,
    is_active: true,
    has_unconfirmed: true,
    group_controls: [],
  },
  bug: { aliases: [], assigned_to: '', qa_contact: '', cc: [], groups: [] },
  comment: { is_private: false },
} as const;

/** Bugzilla's name of the version of a product that has no other. */
export const DEFAULT_VERSION = 'unspecified';

/**
 * The fields of an entry: as the catalogue gives them, else as the table has them, else the defaults.
 *
 * @param existing the item in the table, if there is one
 * @param given fields of the catalogue; one that is undefined is not given
 */
export const mergeFields = (
  defaults: object,
  existing: object | undefined,
  given: object,
): Record<string, unknown> => ({
  ...defaults,
  ...existing,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});
