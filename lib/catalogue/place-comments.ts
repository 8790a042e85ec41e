import type { BugItem } from '../bugs/schema.ts';
import { MAX_TAGS } from '../comment-tags/validation.ts';
import { type CommentRepository, commentRepository } from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { normalizeName } from '../text.ts';
import { DEFAULTS } from './defaults.ts';
import { CatalogueError } from './errors.ts';
import type { CatalogueBug } from './schema.ts';

type CatalogueComment = CatalogueBug['comments'][number];

/** A comment of a catalogue with its place in the bug. */
export interface PlacedComment {
  /** as stored, or to be stored; a new one gets its tags afterwards */
  comment: CommentItem;
  /** as in the catalogue */
  tags: string[];
  /** as in the catalogue; absent there: as stored, or public */
  isPrivate: boolean;
  isNew: boolean;
}

/** The comments of a catalogue's bug. */
export interface PlacedComments {
  comments: PlacedComment[];
  /** left by an interrupted run in a bug that does not exist yet, and not in the catalogue */
  stale: CommentItem[];
}

/**
 * Finds each comment of a catalogue's bug in the table, or assigns its count and id. A comment that an interrupted
 * run left in the same place keeps its id.
 *
 * @param existing the bug in the table, if there is one
 * @param path JSON path of the bug in the catalogue
 * @throws CatalogueError when the table has another comment in that place, its id in another bug, or so many other tags
 * that the comment has no room for those of the catalogue
 */
export async function placeComments(
  table: Table,
  bugId: number,
  bug: CatalogueBug,
  existing: BugItem | undefined,
  path: string,
): Promise<PlacedComments> {
  const comments = commentRepository(table);
  const stored: CommentItem[] = [];
  for await (const page of comments.ofBug(bugId)) stored.push(...page);
  const [visible, leftovers] = existing === undefined ? [[], stored] : [stored, []];
  const fresh = bug.comments.slice(visible.length);
  await refuseTakenIds(comments, bugId, fresh, path);

  const kept = bug.comments.slice(0, visible.length).flatMap((given, count): PlacedComment[] => {
    const known = visible[count];
    if (known === undefined) return [];
    requireSame(known, given, `${path}.comments[${count}]`);
    requireRoom(known, given, `${path}.comments[${count}].tags`);
    const { is_private: isPrivate = known.is_private } = given;
    return [{ comment: known, tags: given.tags, isPrivate, isNew: false }];
  });
  const identified = await withIds(comments, fresh, visible.length, leftovers);
  const added = identified.map(({ given, id, count }): PlacedComment => {
    const { tags, is_private = DEFAULTS.comment.is_private, ...content } = given;
    if (existing !== undefined && content.creation_time < existing.last_comment_time) {
      throw new CatalogueError(
        `${path}.comments[${count}].creation_time: bug ${bugId} has a newer comment already`,
      );
    }
    const comment = { ...content, is_private, id, bug_id: bugId, count, tags: [] };
    return { comment, tags, isPrivate: is_private, isNew: true };
  });
  const used = new Set(added.map(({ comment }) => identityOf(comment)));
  return {
    comments: [...kept, ...added],
    stale: leftovers.filter((comment) => !used.has(identityOf(comment))),
  };
}

type Place = Pick<CommentItem, 'creation_time' | 'count'>;

const placeOf = ({ creation_time, count }: Place) => `${creation_time} ${count}`;
const identityOf = (comment: CommentItem) => `${placeOf(comment)} ${comment.id}`;

interface Identified {
  given: CatalogueComment;
  id: number;
  count: number;
}

/** Assigns ids: that of the catalogue, that of a leftover in the same place, or a new one. */
async function withIds(
  comments: CommentRepository,
  fresh: CatalogueComment[],
  firstCount: number,
  leftovers: CommentItem[],
): Promise<Identified[]> {
  const givenIds = new Set(fresh.map(({ id }) => id));
  const idByPlace = new Map(
    leftovers.filter(({ id }) => !givenIds.has(id)).map((comment) => [placeOf(comment), comment.id]),
  );
  const found = fresh.map((given, index) => {
    const count = firstCount + index;
    return { given, count, id: given.id ?? idByPlace.get(placeOf({ ...given, count })) };
  });
  const missing = found.filter(({ id }) => id === undefined).length;
  let next = missing === 0 ? 0 : await comments.allocateId(missing);
  return found.map(({ given, count, id }) => ({ given, count, id: id ?? next++ }));
}

/** Whether a comment of a catalogue is the one in the table: by its id, else by its text. */
export const isSameComment = (known: CommentItem, given: CatalogueComment): boolean =>
  given.creator === known.creator &&
  (given.id === undefined ? given.text === known.text : given.id === known.id);

function requireSame(known: CommentItem, given: CatalogueComment, path: string): void {
  if (isSameComment(known, given)) return;
  throw new CatalogueError(`${path}: bug ${known.bug_id} has another comment ${known.count}`);
}

function requireRoom({ id, tags }: CommentItem, given: CatalogueComment, path: string): void {
  const all = new Set([...tags, ...given.tags].map(normalizeName));
  if (all.size <= MAX_TAGS) return;
  throw new CatalogueError(`${path}: with those that the comment ${id} has, there are more than ${MAX_TAGS}`);
}

async function refuseTakenIds(
  comments: CommentRepository,
  bugId: number,
  fresh: CatalogueComment[],
  path: string,
): Promise<void> {
  const pointers = await comments.pointers(fresh.flatMap(({ id }) => id ?? []));
  const taken = pointers.find(({ bug_id }) => bug_id !== bugId);
  if (taken !== undefined) {
    throw new CatalogueError(`${path}.comments: bug ${taken.bug_id} has one of their ids`);
  }
}
