import { normalizeName } from '../base/text.ts';
import { ownWords } from '../bugs/attachments/presenter.ts';
import type { tagRepository } from '../bugs/comment-tags/repository.ts';
import { MAX_TAGS } from '../bugs/comment-tags/validation.ts';
import { isErased } from '../bugs/comments/erased.ts';
import type { CommentRepository } from '../bugs/comments/repository.ts';
import type { CommentItem } from '../bugs/comments/schema.ts';
import { newComment } from '../bugs/comments/validation.ts';
import type { BugItem } from '../bugs/schema.ts';
import { DEFAULTS } from './defaults.ts';
import type { CatalogueBug, Problem } from './schema.ts';
import type { CatalogueComment } from './schema-bugs.ts';

/** A comment in the table, and what it lacks. */
interface Revision {
  comment: CommentItem;
  /** undefined: as it is */
  isPrivate?: boolean | undefined;
  /** that it lacks */
  tags: string[];
}

/** The comments of a bug of a catalogue beside those in the table. */
export interface CommentsPlan {
  problems: Problem[];
  /** of comments in the table */
  revisions: Revision[];
  added: CatalogueComment[];
}

/** A bug of a catalogue, and what the table has of it. */
export interface FoundBug {
  /** in the catalogue */
  path: PropertyKey[];
  given: CatalogueBug;
  existing: BugItem | undefined;
}

/**
 * Finds each comment of a bug in the table.
 *
 * @param stored the comments that an existing bug has in the table, in order
 * @param holders the bugs that have the ids of comments
 */
export function planComments(
  { path, given: { id, comments }, existing }: FoundBug,
  stored: readonly CommentItem[],
  holders: ReadonlyMap<number, number>,
): CommentsPlan {
  const problems = comments.flatMap((given, count): Problem[] => {
    const problem = (message: string, ...field: string[]) => [
      { path: [...path, 'comments', count, ...field], message },
    ];
    const known = stored[count];
    if (known !== undefined && !isSameComment(known, given)) {
      return problem(`bug ${known.bug_id} has another comment ${count}`);
    }
    if (known !== undefined && !hasSameText(known, given)) {
      return problem(`the comment ${known.id} has another text`, 'text');
    }
    if (known !== undefined && known.tags.length + missingTags(known, given).length > MAX_TAGS) {
      const message = `with those that the comment ${known.id} has, there are more than ${MAX_TAGS}`;
      return [{ path: [...path, 'comments', count, 'tags'], message }];
    }
    const holder = holders.get(given.id);
    if (holder !== undefined && holder !== id) {
      return problem(`the comment ${given.id} belongs to bug ${holder}`, 'id');
    }
    if (existing !== undefined && known === undefined && given.creation_time < existing.last_comment_time) {
      return problem(`bug ${existing.id} has a newer comment already`, 'creation_time');
    }
    return [];
  });
  const revisions = comments.slice(0, stored.length).flatMap((given, count): Revision[] => {
    const comment = stored[count];
    if (comment === undefined) return [];
    const tags = missingTags(comment, given);
    const isPrivate = given.is_private === comment.is_private ? undefined : given.is_private;
    return tags.length > 0 || isPrivate !== undefined ? [{ comment, tags, isPrivate }] : [];
  });
  return { problems, revisions, added: comments.slice(stored.length) };
}

/** Whether a comment of a catalogue is the one in the table. */
const isSameComment = (known: CommentItem, given: CatalogueComment): boolean =>
  given.id === known.id && given.creator === known.creator;

/** Comments are not changed, but for those that were erased here: a catalogue brings nothing back. The first lines of those on attachments show a summary, which may be. */
const hasSameText = (known: CommentItem, given: CatalogueComment): boolean =>
  isErased(known) || ownWords(given.text, known.attachment_id) === ownWords(known.text, known.attachment_id);

function missingTags(comment: { tags: readonly string[] }, { tags }: { tags: string[] }): string[] {
  const present = new Set(comment.tags.map(normalizeName));
  return tags.filter((tag) => !present.has(normalizeName(tag)));
}

/** The comments to be added, without tags. */
export function newComments({ id: bug_id, comments }: CatalogueBug, { added }: CommentsPlan): CommentItem[] {
  const firstCount = comments.length - added.length;
  return added.map(({ tags: _, ...given }, index) => {
    const { creation_time, is_private = DEFAULTS.comment.is_private, ...others } = given;
    return newComment({ ...others, bug_id, is_private }, { count: firstCount + index, creation_time });
  });
}

/** Sets the privacy of comments, and adds the tags that they lack. */
export async function reviseComments(
  comments: CommentRepository,
  tagsOfComments: ReturnType<typeof tagRepository>,
  revisions: readonly Revision[],
): Promise<void> {
  for (const { comment, tags, isPrivate } of revisions) {
    if (isPrivate !== undefined) await comments.setPrivacy(comment, isPrivate);
    if (tags.length > 0) await tagsOfComments.changeAll(comment, tags);
  }
}
