import type { UserItem } from '../../people/schema.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import type { CommentContent } from '../comments/schema.ts';
import type { ParseContext } from '../fields/kinds.ts';
import type { BugFields, CreatedRow, UpdatedRow } from '../fields/registry.ts';
import type { GivenFlag } from '../flags/requests.ts';
import type { Editor } from '../permissions.ts';
import type { CustomGiven, Given } from '../requests.ts';
import type { BugItem, KeywordItem } from '../schema.ts';
import type { BugSettings } from '../store/settings-repository.ts';
import type { Workflow } from '../workflow.ts';
import type { BugDrafts } from './drafts.ts';

/** The fields that a request sets, under the names of the interface; absent: as they are. */
type FieldUpdates = { [R in CreatedRow | UpdatedRow as R['rest']]?: Given<R['kind']> | undefined };

/** What a request changes of a bug, or gives for a new one. */
export interface BugUpdate extends FieldUpdates {
  reset_assigned_to?: boolean | undefined;
  reset_qa_contact?: boolean | undefined;
}

/** What a request does to the bugs that it names. */
export interface UpdateRequest {
  update: BugUpdate;
  /** custom fields, by name */
  custom: ReadonlyMap<string, CustomGiven>;
  flags: readonly GivenFlag[];
  comment: CommentContent;
  /** hours, as a text */
  workTime: string | undefined;
  /** by the ids of comments */
  privacy: Readonly<Record<string, boolean>>;
  tags: readonly string[];
  /** versions that the bug may have; undefined: any */
  versions?: readonly string[] | undefined;
}

/** What a request gives for a new bug, whose description is the comment. */
export type NewBugRequest = Pick<UpdateRequest, 'update' | 'custom' | 'flags' | 'comment' | 'tags'>;

/** What a change of bugs is computed from: the request, what it refers to, and the bugs as they are going to be. */
export interface UpdateContext
  extends ParseContext,
    Pick<UpdateRequest, 'update' | 'custom' | 'flags' | 'comment'> {
  /** has every bug that the change concerns */
  drafts: BugDrafts;
  readBugs: ReadBugs;
  /** called for a new bug whose own fields are valid */
  allocateId: () => Promise<number>;
  editor: Editor;
  fields: BugFields;
  workflow: Workflow;
  /** the settings as they are stored */
  stored: BugSettings['stored'];
  /** by id */
  products: ReadonlyMap<number, ProductWithParts>;
  /** the product that bugs are moved to */
  target: ProductWithParts | undefined;
  /** by normalized login */
  users: ReadonlyMap<string, UserItem>;
  /** by normalized name */
  keywords: ReadonlyMap<string, KeywordItem>;
  /** hours worked that come with the change */
  workTime: number;
}

/** Reads bugs by id; unknown ones are left out. */
type ReadBugs = (ids: number[]) => Promise<ReadonlyMap<number, BugItem>>;

/** What the own fields of one of these bugs are computed from: those that depend on no other bug. */
export interface OwnUpdate extends UpdateContext {
  /** as it was read, or the empty bug */
  bug: BugItem;
  isNew: boolean;
  /** of the bug as it was read; of a new bug that of the request */
  home: ProductWithParts;
  /** of the bug after the change */
  product: ProductWithParts;
  /** whether the request adds a comment, or a description */
  hasComment: boolean;
}
