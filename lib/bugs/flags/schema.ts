import * as z from 'zod/mini';
import { extensibleObject } from '../../table/extensible-object.ts';

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

/** The state of a flag, and what a change did to it. */
export type FlagState = Pick<FlagItem, 'status' | 'setter' | 'requestee'>;
export interface RecordedFlag {
  type_id: number;
  /** of its type at that time; absent: the history does not tell of it, because the type was not available any more */
  name?: string | undefined;
  attachment_id?: number | undefined;
  /** absent: it is new */
  before?: FlagState | undefined;
  /** absent: it was cleared */
  after?: FlagState | undefined;
}

/** Flags of a bug or an attachment. */
export const flagItems = z._default(z.array(flagItem), []);
