import * as z from 'zod/mini';
import { extensibleObject } from '../dynamodb/extensible-object.ts';

/** Of the name of a flag type, in characters. */
export const MAX_FLAG_TYPE_NAME_LENGTH = 50;

/** A flag of a bug or an attachment, as it is stored there. Its name and what it may be are those of its type. */
const flagItem = extensibleObject({
  id: z.int(),
  type_id: z.int(),
  /** `+`, `-` or `?` */
  status: z.string(),
  /** login */
  setter: z.string(),
  /** login */
  requestee: z._default(z.nullable(z.string()), null),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  creation_date: z.string(),
  modification_date: z.string(),
});
export type FlagItem = z.infer<typeof flagItem>;

/** A flag with the present name of its type. */
export type NamedFlag = FlagItem & { name: string };

/** The field of histories that has flags. */
export const FLAGS = 'flagtypes.name';

/** The state of a flag. */
const flagState = z.object({
  status: z.string(),
  /** login */
  setter: z.string(),
  /** login */
  requestee: z.nullable(z.string()),
});

/** What a change did to a flag. */
export const recordedFlag = z.object({
  type_id: z.int(),
  /** of its type at that time; absent: the history does not tell of it, because the type was not available any more */
  name: z.optional(z.string()),
  attachment_id: z.optional(z.int()),
  /** absent: it is new */
  before: z.optional(flagState),
  /** absent: it was cleared */
  after: z.optional(flagState),
});
export type RecordedFlag = z.infer<typeof recordedFlag>;

/** Flags of a bug or an attachment. */
export const flagItems = z._default(z.array(flagItem), []);
