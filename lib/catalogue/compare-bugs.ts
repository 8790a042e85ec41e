import { attachmentRepository } from '../attachments/repository.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import { bugRepository } from '../bugs/repository.ts';
import { commentRepository } from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { lastId } from '../dynamodb/counters.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { bugProblems, type Entry } from './bug-problems.ts';
import { type KnownIds, readKnownIds } from './bug-source-repository.ts';
import type { Referred } from './desired-bug.ts';
import { attachmentProblems } from './plan-attachments.ts';
import { type CommentsPlan, type FoundBug, planComments } from './plan-comments.ts';
import type { CatalogueBug, Problem } from './schema.ts';

/** A bug of a catalogue, compared with the table. */
export interface BugPlan extends FoundBug {
  problems: Problem[];
  comments: CommentsPlan;
  /** that the bug has in the table */
  attachments: AttachmentItem[];
  /** whether the bug is new, but an interrupted run left something of it */
  hasLeftovers: boolean;
  /** whether the table has comments with the ids of some of its comments */
  hasForeignComments: boolean;
}

/**
 * The last ids that the table has given. An id that another writer gave since fails the condition of its write. What is
 * written without condition is looked up before: a table may have lost its counters.
 */
export interface LastIds {
  bug: number;
  comment: number;
  attachment: number;
}

export const ALL_IDS: LastIds = { bug: Infinity, comment: Infinity, attachment: Infinity };

/** The last ids that the table has given. */
export async function readLastIds(table: Table): Promise<LastIds> {
  const names = ['bug', 'comment', 'attachment'] as const;
  const [bug = 0, comment = 0, attachment = 0] = await Promise.all(names.map((name) => lastId(table, name)));
  return { bug, comment, attachment };
}

const idsUpTo = (last: number, entries: readonly { id?: number | undefined }[]): number[] =>
  entries.flatMap(({ id }) => (id === undefined || id > last ? [] : [id]));

/** Compares bugs of a catalogue with the table: what is there of each, and where they contradict each other. */
export function bugComparison(table: Table, referred: Referred) {
  const repository = bugRepository(table, () => new Date());
  const comments = commentRepository(table);
  const attachments = attachmentRepository(table, () => new Date());

  /** The bugs that have comments: an interrupted run may have left any of them without the bug. */
  async function withComments(ids: number[]): Promise<Set<number>> {
    const found = await mapConcurrent([...new Set(ids)], (id) => comments.description(id));
    return new Set(found.flatMap((comment) => comment?.bug_id ?? []));
  }

  async function storedComments(id: number): Promise<CommentItem[]> {
    const stored: CommentItem[] = [];
    for await (const page of comments.ofBug(id)) stored.push(...page);
    return stored;
  }

  /**
   * @param last the ids that interrupted runs may have left something of
   * @param lookUp the ids that the table may have; it is not searched for others
   */
  return async (entries: readonly Entry[], last: LastIds, lookUp = last): Promise<BugPlan[]> => {
    const given = entries.map((entry) => entry.given);
    const known = lookUp.bug === 0 ? [] : await readKnownIds(table, given);
    const candidates = given.map((bug, index) => candidateIds(bug, known[index]));
    const stored = await repository.byIds(candidates.flat().filter((id) => id <= lookUp.bug));
    const found = entries.map(({ given, path }, index): FoundBug & { known: KnownIds | undefined } => {
      const existing = candidates[index]?.map((id) => stored.get(id)).find((bug) => bug !== undefined);
      const id = given.id ?? known[index]?.claimed ?? existing?.id;
      return { path, given, id, existing, known: known[index] };
    });
    const [commentHolders, attachmentHolders, commented] = await Promise.all([
      comments.bugsOf(
        idsUpTo(
          lookUp.comment,
          given.flatMap((bug) => bug.comments),
        ),
      ),
      attachments.byIds(
        idsUpTo(
          lookUp.attachment,
          given.flatMap((bug) => bug.attachments ?? []),
        ),
      ),
      withComments(
        found.flatMap(({ id = 0, existing }) => (existing === undefined && id <= last.bug ? [id] : [])),
      ),
    ]);
    /** Interrupted runs leave comments, or attachments. */
    const hasLeftovers = ({ given, id, existing, known }: (typeof found)[number]): boolean =>
      id !== undefined &&
      id <= last.bug &&
      existing === undefined &&
      (known?.claimed !== undefined ||
        commented.has(id) ||
        given.comments.some((one) => commentHolders.get(one.id ?? 0) === id) ||
        (given.attachments ?? []).some((one) => attachmentHolders.get(one.id)?.bug_id === id));
    return mapConcurrent(found, async ({ known, ...one }) => {
      const { given, id, existing, path } = one;
      const isResumed = hasLeftovers({ ...one, known });
      const hasComments = isResumed || existing !== undefined;
      const hasAttachments = isResumed || (existing !== undefined && given.attachments !== undefined);
      const [ofBug, attached] = await Promise.all([
        hasComments && id !== undefined ? storedComments(id) : [],
        hasAttachments && id !== undefined ? attachments.ofBug(id) : [],
      ]);
      const planned = planComments(one, ofBug, commentHolders);
      const problems = [
        ...bugProblems(one, planned, known, referred),
        ...attachmentProblems(given, id, path, attachmentHolders),
      ];
      return {
        ...{ ...one, comments: planned, attachments: attached, hasLeftovers: isResumed, problems },
        hasForeignComments: given.comments.some((one) => commentHolders.has(one.id ?? 0)),
      };
    });
  };
}

/** The ids under which the table may have a bug, the most certain one first. */
function candidateIds(given: CatalogueBug, known: KnownIds | undefined): number[] {
  const certain = given.id ?? known?.claimed;
  if (certain !== undefined) return [certain];
  return [known?.ofContent, ...(known?.ofAliases ?? [])].filter((id) => id !== undefined);
}
