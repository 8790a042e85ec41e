import * as z from 'zod';
import {
  componentFields,
  flagTypeFields,
  groupControl as groupControlItem,
  productFields,
  releaseFields,
} from '../products/schema.ts';
import { anyText, flag, groupName, id, login, loginOrEmpty, name, sortKey } from './schema-rules.ts';

const groupControl = z.strictObject({
  ...groupControlItem.shape,
  group: groupName,
  entry: z.boolean().default(false),
  membercontrol: z.enum(['NA', 'SHOWN', 'DEFAULT', 'MANDATORY']).default('NA'),
  canedit: z.boolean().default(false),
});

const component = z.strictObject({
  ...componentFields,
  id,
  name: name(),
  description: anyText.optional(),
  default_assigned_to: loginOrEmpty.optional(),
  default_qa_contact: loginOrEmpty.optional(),
  default_cc: z.array(login).optional(),
  sort_key: sortKey,
  is_active: flag,
});

const release = z.strictObject({ ...releaseFields, id, name: name(), sort_key: sortKey, is_active: flag });

const flagType = z.strictObject({
  ...flagTypeFields,
  id,
  name: name(50),
  description: anyText.optional(),
  target: z.enum(['bug', 'attachment']),
  cc_list: z.array(login).optional(),
  sort_key: sortKey,
  is_active: flag,
  is_requestable: flag,
  is_requesteeble: flag,
  is_multiplicable: flag,
  grant_group: groupName.nullish(),
  request_group: groupName.nullish(),
  /** null: all */
  components: z.array(name()).nullish(),
  excluded_components: z.array(name()).optional(),
});

/** A product with its parts. */
export const product = z.strictObject({
  ...productFields,
  id,
  name: name(),
  description: anyText.optional(),
  classification: name().optional(),
  is_active: flag,
  has_unconfirmed: flag,
  default_milestone: name().optional(),
  group_controls: z.array(groupControl).optional(),
  components: z.array(component).default([]),
  versions: z.array(release).default([]),
  milestones: z.array(release).default([]),
  flag_types: z.array(flagType).default([]),
});
