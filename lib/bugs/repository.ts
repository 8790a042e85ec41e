import type { CommentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { aliasKey, bugKey, canBeKey, commentKey, commentPointerKey } from '../dynamodb/keys.ts';
import { readItem, readItems } from '../dynamodb/read.ts';
import { ABSENT, type Action, ConditionFailed, transactWrite } from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import { isAllDigits } from '../ids.ts';
import { timestamp } from '../time.ts';
import type { Caller } from '../users/caller.ts';
import { isVisible } from './permissions.ts';
import { type BugItem, bugItem, bugPointerItem } from './schema.ts';

/** A bug to be made; the rest of it follows from when that is. */
export type NewBug = Omit<
  BugItem,
  'id' | 'creation_time' | 'last_change_time' | 'comment_count' | 'last_comment_time' | 'hours_worked'
>;

export type BugRepository = ReturnType<typeof bugRepository>;

/** The bugs of the table. */
export function bugRepository(table: Table, now: () => Date) {
  return {
    /**
     * The id that a text names: all digits are one, else it is an alias, in any case, trimmed. REFERENCE.md 5.
     *
     * @returns undefined for an alias that nobody has
     */
    async idOf(given: string): Promise<number | undefined> {
      const name = given.trim();
      if (isAllDigits(name)) return Number(name);
      const item = canBeKey(name) ? await readItem(table, aliasKey(name)) : undefined;
      return item === undefined ? undefined : bugPointerItem.parse(item).bug_id;
    },

    /** A bug; unknown: undefined. */
    async byId(id: number): Promise<BugItem | undefined> {
      const item = await readItem(table, bugKey(id));
      return item === undefined ? undefined : bugItem.parse(item);
    },

    /** Bugs by id; unknown ones are left out. */
    async byIds(ids: number[]): Promise<Map<number, BugItem>> {
      const bugs = (await readItems(table, ids.map(bugKey))).map((item) => bugItem.parse(item));
      return new Map(bugs.map((bug) => [bug.id, bug]));
    },

    /**
     * Makes a bug with its description.
     *
     * @param made with each alias once
     * @param also what is written with it, given its id
     * @returns its id
     * @throws errors.aliasTaken (400, 103)
     */
    async create(
      made: NewBug,
      { text, isPrivate }: { text: string; isPrivate: boolean },
      also: (id: number) => Action[],
    ): Promise<number> {
      const [id, commentId] = await Promise.all([allocateIds(table, 'bug'), allocateIds(table, 'comment')]);
      const time = timestamp(now());
      const bug: BugItem = {
        ...made,
        id,
        creation_time: time,
        last_change_time: time,
        comment_count: 1,
        last_comment_time: time,
        hours_worked: 0,
      };
      const description: CommentItem = {
        id: commentId,
        bug_id: id,
        count: 0,
        text,
        creator: made.reporter,
        creation_time: time,
        is_private: isPrivate,
        attachment_id: null,
        work_time: 0,
        tags: [],
      };
      try {
        await transactWrite(table, [
          ...made.aliases.map(
            (alias): Action => ({ put: { ...aliasKey(alias), bug_id: id }, condition: ABSENT }),
          ),
          { put: { ...bugKey(id), ...bug }, condition: ABSENT },
          { put: { ...commentKey(id, time, 0), ...description }, condition: ABSENT },
          { put: { ...commentPointerKey(commentId), bug_id: id, creation_time: time, count: 0 } },
          ...also(id),
        ]);
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        const taken = made.aliases.find((_, place) => error.places.has(place));
        throw taken === undefined ? error : errors.aliasTaken(taken);
      }
      return id;
    },
  };
}

/**
 * A bug that was looked up, if the caller may see it.
 *
 * @param given as the client named it
 * @param id what BugRepository.idOf made of it
 * @throws errors.bugAliasUnknown (400, 100), errors.bugUnknown (404, 101), errors.bugAccessDenied (401, 102); REFERENCE.md 5
 */
export function requireVisible(
  given: string,
  id: number | undefined,
  bug: BugItem | undefined,
  caller: Caller,
): BugItem {
  if (id === undefined) throw errors.bugAliasUnknown(given);
  if (bug === undefined) throw errors.bugUnknown(given);
  if (!isVisible(bug, caller)) throw errors.bugAccessDenied(given);
  return bug;
}
