import * as z from 'zod/mini';
import { describe, schemaRef } from '../../lib/http/openapi/metadata.ts';
import { byShownAttribute, EMPTY_COMPONENT } from '../../lib/products/component-fields.ts';
import type { PART_FIELDS } from '../../lib/products/presenter.ts';
import type { ProductFields } from '../../lib/products/schema.ts';

const ID = 'Unique in the installation.';

const flagType = schemaRef(
  'FlagType',
  'A type of flags of bugs or attachments.',
  z.object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    cc_list: describe('Logins, joined by `, `.', z.string()),
    sort_key: z.int(),
    is_active: describe('Whether new flags of the type may be set.', z.boolean()),
    is_requestable: describe('Whether the flag can be requested with `?`.', z.boolean()),
    is_requesteeble: describe('Whether a request can be addressed to a user.', z.boolean()),
    is_multiplicable: describe(
      'Whether a bug or attachment can have several flags of the type.',
      z.boolean(),
    ),
    grant_group: describe(
      'The group that may grant or deny the flag; null for everyone.',
      z.nullable(z.int()),
    ),
    request_group: describe('The group that may request the flag; null for everyone.', z.nullable(z.int())),
  }),
);

const component = schemaRef(
  'Component',
  'A component of a product. With `include_fields` only the selected fields are present.',
  z.partial(
    z.object({
      id: describe(ID, z.int()),
      name: z.string(),
      ...byShownAttribute(({ shown }) => describe(shown, z.string())),
      sort_key: describe('Components are ordered by sort key, then by name.', z.int()),
      is_active: describe('Whether bugs may be entered.', z.boolean()),
      flag_types: describe(
        'The flag types of the component.',
        z.object({ bug: z.array(flagType), attachment: z.array(flagType) }),
      ),
    }),
  ),
);

const release = schemaRef(
  'Release',
  'A version or a milestone.',
  z.partial(
    z.object({ id: describe(ID, z.int()), name: z.string(), sort_key: z.int(), is_active: z.boolean() }),
  ),
);

/** functions/README.md 4. */
export const product = schemaRef(
  'Product',
  'A product. With `include_fields` only the selected fields are present.',
  z.partial(
    z.object({
      id: describe(ID, z.int()),
      name: describe('Unique, ignoring case.', z.string()),
      description: describe('May contain HTML.', z.string()),
      is_active: describe('Whether bugs may be entered.', z.boolean()),
      default_milestone: z.string(),
      has_unconfirmed: describe('Whether bugs may be UNCONFIRMED.', z.boolean()),
      classification: z.string(),
      description_template: describe(
        'What the description of a new bug begins with on the page; absent: nothing.',
        z.string(),
      ),
      components: describe('Ordered by sort key, then by name.', z.array(component)),
      versions: describe('Ordered by sort key, then by name in version order.', z.array(release)),
      milestones: describe('Ordered by sort key, then by name.', z.array(release)),
    } satisfies Record<
      keyof ProductFields | 'description_template' | (typeof PART_FIELDS)[number],
      z.ZodMiniType
    >),
  ),
);

/** The example of a product. */
export const productExample: z.output<typeof product> = {
  id: 8,
  name: 'Rocket',
  description: 'To the moon',
  is_active: true,
  default_milestone: '—',
  has_unconfirmed: true,
  classification: 'Unclassified',
  components: [
    {
      id: 12,
      name: 'Engine',
      ...EMPTY_COMPONENT,
      ...{ description: 'The engine', default_assigned_to: 'dev@bugless.example' },
      sort_key: 0,
      is_active: true,
      flag_types: { bug: [], attachment: [] },
    },
  ],
  versions: [{ id: 15, name: '1.0', sort_key: 0, is_active: true }],
  milestones: [{ id: 16, name: '—', sort_key: 0, is_active: true }],
};
