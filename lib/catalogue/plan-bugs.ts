import { attachmentRepository } from '../attachments/repository.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import { bulkBugRepository, type NewBug } from '../bugs/bulk-repository.ts';
import { sortedNumbers } from '../bugs/change/drafts.ts';
import { bugRepository } from '../bugs/repository.ts';
import type { BugItem, HistoryItem } from '../bugs/schema.ts';
import { tagRepository } from '../comment-tags/repository.ts';
import { commentRepository } from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import { advanceCounter, idAllocator, lastId } from '../dynamodb/counters.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import type { CounterName } from '../dynamodb/keys.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { asyncPortions } from '../portions.ts';
import type { BugDigest } from './bug-digest.ts';
import { bugLease } from './bug-lease-repository.ts';
import { bugProblems, type Entry } from './bug-problems.ts';
import { claimActions, type KnownIds, readKnownIds } from './bug-source-repository.ts';
import { desiredBug, type Referred } from './desired-bug.ts';
import { outcomeOf, type Plan, type PlanContext } from './plan.ts';
import { type AttachmentChanges, attachmentProblems, writeAttachmentData } from './plan-attachments.ts';
import {
  type CommentsPlan,
  type FoundBug,
  newComments,
  planComments,
  reviseComments,
  staleLeftovers,
} from './plan-comments.ts';
import type { CatalogueBug, Problem } from './schema.ts';

interface BugPlan extends FoundBug {
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
interface LastIds {
  bug: number;
  comment: number;
  attachment: number;
}

const ALL: LastIds = { bug: Infinity, comment: Infinity, attachment: Infinity };

const idsUpTo = (last: number, entries: readonly { id?: number | undefined }[]): number[] =>
  entries.flatMap(({ id }) => (id === undefined || id > last ? [] : [id]));

/** Bugs that are read and written together. */
const PORTION = 500;
/** Texts of comments that are in memory together, in characters. */
const PORTION_CHARACTERS = 8_000_000;
const CONCURRENT_ATTACHMENTS = 2;

/**
 * Adds bugs with their comments, and to existing bugs the comments and tags that they lack. Bugs are read and written in
 * portions, so that memory does not grow with their number: a catalogue of several portions is read once to compare it
 * with the table, and once to write it.
 */
export async function planBugs(
  { table, catalogue, digest, counter }: PlanContext,
  referred: Referred,
  onWait: (() => void) | undefined,
): Promise<Plan> {
  const repository = bugRepository(table, () => new Date());
  const bulk = bulkBugRepository(table, () => new Date());
  const comments = commentRepository(table);
  const tags = tagRepository(table);
  const attachments = attachmentRepository(table, () => new Date());
  const allocate = idAllocator(table);
  const lease = bugLease(table, onWait);
  /** Ids after these were never allocated, and are not going to be. */
  let allocated = { bug: Infinity, comment: Infinity };

  /** Advances the counters past the ids of the bugs, so that they are not allocated again. */
  async function reserveIds(): Promise<void> {
    const before = new Map<CounterName, number>();
    for (const [name, highest] of digest.highestIds) {
      if (highest > 0) before.set(name, (await advanceCounter(table, name, highest)) ?? Infinity);
    }
    allocated = { bug: before.get('bug') ?? Infinity, comment: before.get('comment') ?? Infinity };
  }

  /**
   * @param last the ids that interrupted runs may have left something of
   * @param lookUp the ids that the table may have; it is not searched for others
   */
  async function planPortion(entries: readonly Entry[], last: LastIds, lookUp = last): Promise<BugPlan[]> {
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
        given.comments.some((one) => one.id === undefined || commentHolders.get(one.id) === id) ||
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
  }

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

  /** The entry of a bug with what follows from other entries, its id, and its new comments. */
  async function identify(plan: BugPlan) {
    const given = { ...plan.given, ...dependencies(digest, plan.given, plan.existing) };
    const id = plan.id ?? (await allocate('bug'));
    const kept = given.comments.length - plan.comments.added.length;
    const added = await newComments(plan.comments, id, kept, (count) => allocate('comment', count));
    return { plan, given, id, added };
  }
  type Identified = Awaited<ReturnType<typeof identify>>;

  const attach = ({ plan, given, id }: Identified): Promise<AttachmentChanges> =>
    writeAttachmentData(id, given, plan.attachments, attachments);

  async function newBug(identified: Identified): Promise<NewBug> {
    const { plan, given, id, added } = identified;
    const attached = await attach(identified);
    const bug = desiredBug(id, given, undefined, referred);
    return {
      bug: { ...bug, attachment_count: attached.count },
      comments: added,
      history: historyOf(given, id),
      attachments: attached.actions,
      claim: claimActions(given, id),
      isExclusive:
        !plan.hasLeftovers &&
        (given.id ?? 0) > allocated.bug &&
        !plan.hasForeignComments &&
        given.comments.every((comment) => (comment.id ?? 0) > allocated.comment),
      stale: plan.hasLeftovers ? staleLeftovers(plan.comments, added) : undefined,
    };
  }

  async function changeBug(existing: BugItem, identified: Identified): Promise<void> {
    const { plan, given, id, added } = identified;
    const attached = await attach(identified);
    const attachment_count = given.attachments === undefined ? existing.attachment_count : attached.count;
    const desired = { ...desiredBug(id, given, existing, referred), attachment_count };
    const replaced = await bulk.replace(existing, desired, historyOf(given, id), attached.actions);
    await bulk.appendComments(replaced.bug, added);
    await finish(plan, added, replaced.isChanged || added.length > 0);
  }

  /** Changes comments, and tags the new ones. */
  async function finish(
    { existing, given, comments: planned }: BugPlan,
    added: CommentItem[],
    isChanged: boolean,
  ) {
    const addedTags = added.map((comment, index) => ({ comment, tags: planned.added[index]?.tags ?? [] }));
    await reviseComments(comments, tags, [...planned.revisions, ...addedTags]);
    counter.count('bugs', outcomeOf(existing, isChanged));
    counter.count('comments', 'added', added.length);
    counter.count('comments', 'changed', planned.revisions.length);
    counter.count('comments', 'unchanged', given.comments.length - added.length - planned.revisions.length);
  }

  /** @returns the bugs that were not written, because somebody has changed them since they were read */
  async function tryWrite(plans: readonly BugPlan[]): Promise<[BugPlan, ConditionFailed][]> {
    const identified = await Promise.all(plans.map(identify));
    const added = identified.filter(({ plan }) => plan.existing === undefined);
    const created = await mapConcurrent(added, newBug, CONCURRENT_ATTACHMENTS);
    const refused = await bulk.create(created, lease.hold);
    const failed = await mapConcurrent(identified, async (one): Promise<[BugPlan, ConditionFailed][]> => {
      const { plan } = one;
      const bug = created[added.indexOf(one)];
      const refusal = bug === undefined ? undefined : refused.get(bug);
      if (refusal !== undefined) return [[plan, refusal]];
      try {
        if (plan.existing === undefined) await finish(plan, one.added, true);
        else await changeBug(plan.existing, one);
        return [];
      } catch (error) {
        if (error instanceof ConditionFailed) return [[plan, error]];
        throw error;
      }
    });
    return failed.flat();
  }

  async function write(plans: readonly BugPlan[]): Promise<void> {
    for (const [plan, error] of await tryWrite(plans)) {
      const again = await planPortion([plan], ALL);
      if (again.some(({ problems }) => problems.length > 0)) throw error;
      const [failure] = await tryWrite(again);
      if (failure !== undefined) throw failure[1];
    }
  }

  /** One after the other: what is written one by one would wait for the transactions of others. */
  async function eachPortion(work: (entries: Entry[]) => Promise<void>): Promise<void> {
    const limits = [{ max: PORTION }, { max: PORTION_CHARACTERS, sizeOf: charactersOf }];
    for await (const entries of asyncPortions(entriesOf(catalogue.bugs), ...limits)) await work(entries);
  }

  const [bug, comment, attachment] = await Promise.all([
    lastId(table, 'bug'),
    lastId(table, 'comment'),
    lastId(table, 'attachment'),
  ]);
  const last = { bug, comment, attachment };
  const givesIds = (['bug', 'comment'] as const).some((name) => (digest.highestIds.get(name) ?? 0) > 0);
  const problems: Problem[] = [];
  let only: BugPlan[] | undefined;
  await eachPortion(async (entries) => {
    const plans = await planPortion(entries, last, digest.bugs > PORTION ? last : ALL);
    problems.push(...plans.flatMap((plan) => plan.problems));
    if (plans.length === digest.bugs) only = plans;
    else counter.countRead(plans.length);
  });
  return {
    problems: problems.sort((a, b) => Number(a.path[1]) - Number(b.path[1])),
    async execute() {
      try {
        if (givesIds) await lease.take();
        await reserveIds();
        if (only !== undefined) await write(only);
        else await eachPortion(async (entries) => write(await planPortion(entries, last, ALL)));
      } finally {
        await lease.release();
      }
      for (const tag of catalogue.tag_spellings) await tags.respell(tag);
    },
  };
}

async function* entriesOf(bugs: PlanContext['catalogue']['bugs']): AsyncGenerator<Entry> {
  let index = 0;
  for await (const given of bugs) {
    yield { given, path: ['bugs', index] };
    index += 1;
  }
}

const charactersOf = ({ given }: Entry): number =>
  given.comments.reduce((sum, { text }) => sum + text.length, 0);

/** The ids under which the table may have a bug, the most certain one first. */
function candidateIds(given: CatalogueBug, known: KnownIds | undefined): number[] {
  const certain = given.id ?? known?.claimed;
  if (certain !== undefined) return [certain];
  return [known?.ofContent, ...(known?.ofAliases ?? [])].filter((id) => id !== undefined);
}

type Dependencies = Pick<CatalogueBug, 'blocks' | 'depends_on'>;

/**
 * The dependencies of a bug, where the catalogue has one at either end. An existing bug keeps those of a field that the
 * catalogue does not give for it.
 */
function dependencies(digest: BugDigest, bug: CatalogueBug, existing: BugItem | undefined): Dependencies {
  const idsOf = (field: keyof Dependencies, found: Set<number> = new Set()) => {
    const kept = bug[field] ?? existing?.[field] ?? [];
    return bug[field] === undefined && found.size === 0 ? undefined : sortedNumbers([...found, ...kept]);
  };
  const id = bug.id ?? 0;
  return {
    blocks: idsOf('blocks', digest.blocks.get(id)),
    depends_on: idsOf('depends_on', digest.dependsOn.get(id)),
  };
}

const historyOf = ({ history }: CatalogueBug, id: number): HistoryItem[] =>
  history.map((entry) => ({ bug_id: id, ...entry }));
