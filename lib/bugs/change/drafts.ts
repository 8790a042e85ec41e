import { sortedNumbers } from '../../base/collections.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import type { BugChange } from '../changes.ts';
import type { CommentRepository } from '../comments/repository.ts';
import type { CommentContent } from '../comments/schema.ts';
import type { FlagItem } from '../flags/schema.ts';
import { isNewFlag } from '../flags/set-flags.ts';
import type { BugItem } from '../schema.ts';
import type { BugRepository } from '../store/repository.ts';

type Privacy = BugChange['privacy'][number];

/** The two ends of a dependency. */
const OTHER_END = { blocks: 'depends_on', depends_on: 'blocks' } as const;
export type DependencyField = keyof typeof OTHER_END;

/** A bug as a request changes it. */
interface Draft {
  /** as it was read; undefined: it is new */
  before: BugItem | undefined;
  after: BugItem;
  comments: CommentContent[];
  privacy: Privacy[];
  /** those that change */
  attachments: { before: AttachmentItem; after: AttachmentItem }[];
}

/** Bugs while a request changes them: each as it was read, and as it is going to be. */
export class BugDrafts {
  readonly #attachments = new Map<number, readonly AttachmentItem[]>();
  readonly #drafts = new Map<number, Draft>();

  /** Adds bugs as they were read; known ones stay as they are. */
  add(bugs: Iterable<BugItem>): void {
    for (const bug of bugs) if (!this.#drafts.has(bug.id)) this.#set(bug.id, bug, bug);
  }

  /** Adds a bug that does not exist yet. */
  create(bug: BugItem): void {
    this.#set(bug.id, undefined, bug);
  }

  #set(id: number, before: BugItem | undefined, after: BugItem): void {
    this.#drafts.set(id, { before, after, comments: [], privacy: [], attachments: [] });
  }

  /** A bug as it is going to be; not read: undefined. */
  get(id: number): BugItem | undefined {
    return this.#drafts.get(id)?.after;
  }

  change(id: number, fields: Partial<BugItem>): void {
    const draft = this.#drafts.get(id);
    if (draft !== undefined) draft.after = { ...draft.after, ...fields };
  }

  /** Whether a bug that existed before goes to another product or component. */
  hasMoved(id: number): boolean {
    const { before, after } = this.#drafts.get(id) ?? {};
    return (
      before !== undefined &&
      (before.product_id !== after?.product_id || before.component_id !== after.component_id)
    );
  }

  /** Adds the attachments of a bug as they were read. */
  addAttachments(id: number, attachments: readonly AttachmentItem[]): void {
    this.#attachments.set(id, attachments);
  }

  changeAttachments(id: number, change: (attachment: AttachmentItem) => AttachmentItem): void {
    const changed = (this.#attachments.get(id) ?? []).map((before) => ({ before, after: change(before) }));
    const draft = this.#drafts.get(id);
    if (draft !== undefined) draft.attachments = changed.filter(({ before, after }) => before !== after);
  }

  comment(id: number, comment: CommentContent): void {
    this.#drafts.get(id)?.comments.push(comment);
  }

  setPrivacy(id: number, privacy: Privacy[]): void {
    this.#drafts.get(id)?.privacy.push(...privacy);
  }

  /** Sets what a bug blocks or depends on, at both ends. */
  relate(bug: number, field: DependencyField, next: readonly number[]): void {
    const before = this.get(bug)?.[field] ?? [];
    this.change(bug, { [field]: sortedNumbers(next) });
    const end = OTHER_END[field];
    for (const id of next.filter((one) => !before.includes(one))) {
      this.change(id, { [end]: sortedNumbers([...(this.get(id)?.[end] ?? []), bug]) });
    }
    for (const id of before.filter((one) => !next.includes(one))) {
      this.change(id, { [end]: (this.get(id)?.[end] ?? []).filter((one) => one !== bug) });
    }
  }

  /** The bugs, changed or not. */
  all(): Iterable<Readonly<Draft>> {
    return this.#drafts.values();
  }
}

/** Ids that were allocated already. */
export interface AllocatedIds {
  first: number;
  count: number;
}

/**
 * Gives the comments of changes, and the flags of bugs and attachments, their ids.
 *
 * @param allocated for the comments, if they are as many
 */
export async function withIds(
  changes: readonly BugChange[],
  { bugs, comments }: { bugs: BugRepository; comments: CommentRepository },
  allocated?: AllocatedIds,
): Promise<BugChange[]> {
  const newComments = changes.flatMap((change) => change.comments);
  const newFlags = changes
    .flatMap(({ after, attachments }) => [after, ...attachments.map((one) => one.after)])
    .flatMap(({ flags }) => flags.filter(isNewFlag));
  const firstComment = () => {
    if (newComments.length === allocated?.count) return allocated.first;
    return newComments.length === 0 ? 0 : comments.allocateId(newComments.length);
  };
  let [comment, flag] = await Promise.all([
    firstComment(),
    newFlags.length === 0 ? 0 : bugs.allocateFlagIds(newFlags.length),
  ]);
  const numbered = <T extends { flags: FlagItem[] }>(of: T): T => {
    return { ...of, flags: of.flags.map((one) => (isNewFlag(one) ? { ...one, id: flag++ } : one)) };
  };
  return changes.map((change) => ({
    ...change,
    after: numbered(change.after),
    attachments: change.attachments.map((one) => ({ ...one, after: numbered(one.after) })),
    comments: change.comments.map((one) => ({ ...one, id: comment++ })),
  }));
}
