import * as z from 'zod';
import { parseTime } from '../../../lib/time.ts';

/** Answers of Bugzilla's REST interface, as far as they are copied: of several versions, so read leniently. */

const id = z.coerce.number().pipe(z.int());

const flag = z.union([z.boolean(), z.number(), z.string()]).transform((given) => {
  return given === true || (given !== false && given !== '' && Number(given) !== 0);
});

const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((given) => String(given ?? '').toWellFormed());

/** Several of them, or one by itself, or none. */
const texts = z
  .union([z.array(z.union([z.string(), z.number()])), z.string()])
  .nullish()
  .transform((given) => [given ?? []].flat().map((one) => String(one).toWellFormed()))
  .transform((all) => all.filter((one) => one !== ''));

const one = texts.transform(([first = '']) => first);

const time = z.string().transform((given, context) => {
  const parsed = parseTime(given);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'is not a time' });
  return z.NEVER;
});

const groupId = id.nullish().transform((given) => given || undefined);

const flagType = z.object({
  id,
  name: text,
  description: text,
  cc_list: text,
  sort_key: z.coerce.number().default(0),
  is_active: flag.default(true),
  is_requestable: flag.default(true),
  is_requesteeble: flag.default(true),
  is_multiplicable: flag.default(true),
  grant_group: groupId,
  request_group: groupId,
});
export type SourceFlagType = z.output<typeof flagType>;

const release = z.object({
  id,
  name: text,
  sort_key: z.coerce.number().default(0),
  is_active: flag.default(true),
});

const component = z.object({
  id,
  name: text,
  description: text,
  default_assigned_to: text,
  default_qa_contact: text,
  sort_key: z.coerce.number().default(0),
  is_active: flag.default(true),
  flag_types: z
    .object({ bug: z.array(flagType).default([]), attachment: z.array(flagType).default([]) })
    .default({ bug: [], attachment: [] }),
});

const product = z.object({
  id,
  name: text,
  description: text,
  classification: text,
  is_active: flag.default(true),
  has_unconfirmed: flag.default(true),
  default_milestone: text,
  components: z.array(component).default([]),
  versions: z.array(release).default([]),
  milestones: z.array(release).default([]),
});
export type SourceProduct = z.output<typeof product>;

const bug = z.object({
  id,
  alias: texts,
  product: one,
  component: one,
  version: one,
  summary: text,
  status: text,
  creator: text,
  assigned_to: text,
  qa_contact: text,
  cc: texts,
  /** demanded: without them a bug would be open to everybody */
  groups: z.array(z.string()),
  last_change_time: time,
});
export type SourceBug = z.output<typeof bug>;

/** What is asked of each bug. */
export const BUG_FIELDS = Object.keys(bug.shape).join(',');

const comment = z.object({
  id,
  count: z.coerce.number().optional(),
  text,
  creator: text,
  creation_time: time.optional(),
  time: time.optional(),
  /** demanded: without it a comment would be open to everybody */
  is_private: flag,
  attachment_id: groupId,
  tags: texts,
});
export type SourceComment = z.output<typeof comment>;

const group = z.object({ id, name: text, description: text });
export type SourceGroup = z.output<typeof group>;

export const versionAnswer = z.object({ version: z.string() });
export const idsAnswer = z.object({ ids: z.array(id) });
export const productsAnswer = z.object({ products: z.array(product) });
export const productNamesAnswer = z.object({ products: z.array(z.object({ id, name: text })) });
export const bugsAnswer = z.object({ bugs: z.array(bug) });
export const commentsAnswer = z.object({
  bugs: z.record(z.string(), z.object({ comments: z.array(comment) })),
});
export const groupsAnswer = z.object({ groups: z.array(group) });
export const whoamiAnswer = z.object({ id });
export const usersAnswer = z.object({ users: z.array(z.object({ groups: z.array(group).default([]) })) });
