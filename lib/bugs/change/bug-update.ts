import type { ListUpdate } from '../../name-lists.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import type { Caller } from '../../users/caller.ts';
import type { UserItem } from '../../users/schema.ts';
import type { FieldKind, KINDS } from '../fields/kinds.ts';
import type { BugFields, CreatedRow, UpdatedRow } from '../fields/registry.ts';
import type { KeywordItem } from '../schema.ts';
import type { LegalValues } from '../values.ts';

/** What a request gives for a field of a kind. */
export type Given<K extends FieldKind> = (typeof KINDS)[K]['given'] extends 'text'
  ? string
  : (typeof KINDS)[K]['given'] extends 'flag'
    ? boolean
    : ListUpdate;

/** The fields that a request sets, under the names of the interface; absent: as they are. */
type FieldUpdates = { [R in CreatedRow | UpdatedRow as R['rest']]?: Given<R['kind']> | undefined };

/** What a request changes of a bug, or gives for a new one. */
export interface BugUpdate extends FieldUpdates {
  reset_assigned_to?: boolean | undefined;
  reset_qa_contact?: boolean | undefined;
}

/** Who changes bugs, with the rights that settings decide. */
export interface Editor {
  caller: Caller;
  isTimeTracker: boolean;
  isInsider: boolean;
  isTagger: boolean;
  /** the name of the group that sees private comments and attachments; '' where there is none */
  insiderGroup: string;
  /** address of this deployment, as `https://bugs.example.org/` */
  base: string;
}

/** What a change of bugs is computed from, as far as it needs it. */
export interface ChangeSources {
  editor: Editor;
  fields: BugFields;
  legal: LegalValues;
  /** by id */
  products: ReadonlyMap<number, ProductWithParts>;
  /** the product that bugs are moved to */
  target: ProductWithParts | undefined;
  /** by normalized login */
  users: ReadonlyMap<string, UserItem>;
  /** by normalized name */
  keywords: ReadonlyMap<string, KeywordItem>;
  /** ids of the bugs that the request names, by normalized name */
  bugIds: ReadonlyMap<string, number>;
  /** hours worked that come with the change */
  workTime: number;
}
