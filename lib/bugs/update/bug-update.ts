import type { ProductWithParts } from '../../products/schema.ts';
import type { Caller } from '../../users/caller.ts';
import type { UserItem } from '../../users/schema.ts';
import type { BugItem, KeywordItem } from '../schema.ts';
import type { LegalValues } from '../values.ts';

/** How a list changes; `set` replaces it. */
export interface ListUpdate {
  add: string[];
  remove: string[];
  set?: string[] | undefined;
}

type Given = string | undefined;

/** What a request changes of bugs, under the names of the interface; absent: nothing. */
export interface BugUpdate {
  alias?: ListUpdate | undefined;
  assigned_to?: Given;
  blocks?: ListUpdate | undefined;
  cc?: ListUpdate | undefined;
  component?: Given;
  deadline?: Given;
  depends_on?: ListUpdate | undefined;
  dupe_of?: Given;
  estimated_time?: Given;
  groups?: ListUpdate | undefined;
  is_cc_accessible?: boolean | undefined;
  is_creator_accessible?: boolean | undefined;
  keywords?: ListUpdate | undefined;
  op_sys?: Given;
  platform?: Given;
  priority?: Given;
  product?: Given;
  qa_contact?: Given;
  remaining_time?: Given;
  reset_assigned_to?: boolean | undefined;
  reset_qa_contact?: boolean | undefined;
  resolution?: Given;
  see_also?: ListUpdate | undefined;
  severity?: Given;
  status?: Given;
  summary?: Given;
  target_milestone?: Given;
  url?: Given;
  version?: Given;
  whiteboard?: Given;
}

/** What a change of bugs is computed from, as far as it needs it. */
export interface UpdateSources {
  caller: Caller;
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
  /** address of this deployment */
  base: string;
  /** hours worked that come with the change */
  workTime: number;
}

/** The fields of a bug that a part of an update sets. */
export type Fields = Partial<BugItem>;
