import * as z from 'zod/mini';
import { describe, named } from '../../lib/openapi/metadata.ts';

const idHere = 'Identifies it in this installation only.';

const flagType = named(
  'FlagType',
  'What flags bugs or attachments can have.',
  z.object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    cc_list: describe('Logins, joined by `, `.', z.string()),
    sort_key: z.int(),
    is_active: describe('Without it, there are no new flags of the type.', z.boolean()),
    is_requestable: describe('Whether `?` can be asked.', z.boolean()),
    is_requesteeble: describe('Whether a certain person can be asked.', z.boolean()),
    is_multiplicable: describe('Whether there can be more than one on a bug or attachment.', z.boolean()),
    grant_group: describe('The group that grants or denies them; null: everybody.', z.nullable(z.int())),
    request_group: describe('The group that requests them; null: everybody.', z.nullable(z.int())),
  }),
);

const component = named(
  'Component',
  'A part of a product. `include_fields` leaves out what it does not name.',
  z.partial(
    z.object({
      id: describe(idHere, z.int()),
      name: z.string(),
      description: describe('May hold HTML.', z.string()),
      default_assigned_to: describe('The login of who gets new bugs.', z.string()),
      default_qa_contact: describe('A login; empty when there is none.', z.string()),
      sort_key: describe('Components are ordered by it, then by name.', z.int()),
      is_active: describe('Whether new bugs may be about it.', z.boolean()),
      flag_types: describe(
        'The flag types that apply to it.',
        z.object({ bug: z.array(flagType), attachment: z.array(flagType) }),
      ),
    }),
  ),
);

const release = named(
  'Release',
  'A version or a milestone.',
  z.partial(
    z.object({ id: describe(idHere, z.int()), name: z.string(), sort_key: z.int(), is_active: z.boolean() }),
  ),
);

/** functions/README.md 4. */
export const product = named(
  'Product',
  'A product. `include_fields` leaves out what it does not name.',
  z.partial(
    z.object({
      id: describe(idHere, z.int()),
      name: describe('Unique, in any case.', z.string()),
      description: describe('May hold HTML.', z.string()),
      is_active: describe('Whether bugs may be entered.', z.boolean()),
      default_milestone: z.string(),
      has_unconfirmed: describe('Whether bugs may be UNCONFIRMED.', z.boolean()),
      classification: z.string(),
      components: describe('Ordered by sort key, then by name.', z.array(component)),
      versions: describe('Ordered by sort key, then by name as numbers go.', z.array(release)),
      milestones: describe('Ordered by sort key, then by name.', z.array(release)),
    }),
  ),
);

/** A product as an answer shows it. */
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
      description: 'What burns',
      default_assigned_to: 'dev@bugless.example',
      default_qa_contact: '',
      sort_key: 0,
      is_active: true,
      flag_types: { bug: [], attachment: [] },
    },
  ],
  versions: [{ id: 15, name: '1.0', sort_key: 0, is_active: true }],
  milestones: [{ id: 16, name: '—', sort_key: 0, is_active: true }],
};
