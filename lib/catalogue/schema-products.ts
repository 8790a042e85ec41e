import * as z from 'zod';
import { controlsProblem, defaultOthercontrol } from '../products/group-controls.ts';
import {
  CONTROLS,
  type flagTypeFields,
  type GroupControl,
  type productFields,
  type releaseFields,
} from '../products/schema.ts';
import {
  anyText,
  boolean,
  descriptionTemplate,
  flagTypeName,
  groupName,
  id,
  login,
  loginOrEmpty,
  name,
  sortKey,
} from './schema-rules.ts';

/** Rules for the fields of an entity: none is forgotten, and absent is not the default of the schema. */
type Rules<F> = Record<string, z.ZodType> & Record<keyof F, z.ZodType>;

const groupControl = z
  .strictObject({
    group: groupName,
    entry: z.boolean().default(false),
    membercontrol: z.enum(CONTROLS).default('NA'),
    /** absent: MANDATORY where membercontrol is, else NA */
    othercontrol: z.enum(CONTROLS).optional(),
    canedit: z.boolean().default(false),
    editcomponents: boolean,
    editbugs: boolean,
    canconfirm: boolean,
  } satisfies Rules<GroupControl>)
  .superRefine(({ membercontrol, othercontrol = defaultOthercontrol(membercontrol) }, context) => {
    const message = controlsProblem({ membercontrol, othercontrol });
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['othercontrol'] });
  });

/** A group control of a catalogue. */
export type CatalogueControl = z.output<typeof groupControl>;

/** A component of a catalogue may have no default assignee. */
const component = z.strictObject({
  id,
  name: name(),
  description: anyText.optional(),
  default_assigned_to: loginOrEmpty.optional(),
  default_qa_contact: loginOrEmpty.optional(),
  default_cc: z.array(login).optional(),
  sort_key: sortKey,
  is_active: boolean,
});

const release = z.strictObject({
  id,
  name: name(),
  sort_key: sortKey,
  is_active: boolean,
} satisfies Rules<typeof releaseFields>);

const flagType = z.strictObject({
  id,
  name: flagTypeName,
  description: anyText.optional(),
  target: z.enum(['bug', 'attachment']),
  cc_list: z.array(login).optional(),
  sort_key: sortKey,
  is_active: boolean,
  is_requestable: boolean,
  is_requesteeble: boolean,
  is_multiplicable: boolean,
  grant_group: groupName.nullish(),
  request_group: groupName.nullish(),
  /** null: all */
  components: z.array(name()).nullish(),
  excluded_components: z.array(name()).optional(),
} satisfies Rules<typeof flagTypeFields>);

/** A product with its parts. */
export const product = z.strictObject({
  id,
  name: name(),
  description: anyText.optional(),
  classification: name().optional(),
  is_active: boolean,
  has_unconfirmed: boolean,
  default_milestone: name().optional(),
  group_controls: z.array(groupControl).optional(),
  /** what the description of a new bug begins with on the page; empty: nothing */
  description_template: descriptionTemplate.optional(),
  components: z.array(component).default([]),
  versions: z.array(release).default([]),
  milestones: z.array(release).default([]),
  flag_types: z.array(flagType).default([]),
} satisfies Rules<typeof productFields>);
