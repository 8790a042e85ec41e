import { isDeepStrictEqual } from 'node:util';
import { asyncPortions, mapConcurrent, sortedNumbers } from '../base/collections.ts';
import { timestamp } from '../base/time.ts';
import { attachmentRepository } from '../bugs/attachments/repository.ts';
import { tagRepository } from '../bugs/comment-tags/repository.ts';
import { commentRepository } from '../bugs/comments/repository.ts';
import type { CommentItem } from '../bugs/comments/schema.ts';
import type { BugItem, HistoryItem } from '../bugs/schema.ts';
import { bulkBugRepository, type NewBug } from '../bugs/store/bulk-repository.ts';
import { productRepository } from '../products/repository.ts';
import { advanceCounter, lastId } from '../table/counters.ts';
import { ConditionFailed } from '../table/errors.ts';
import type { BugDigest } from './bug-digest.ts';
import type { Entry } from './bug-problems.ts';
import { ALL_IDS, type BugPlan, bugComparison, readLastIds } from './compare-bugs.ts';
import { desiredBug, type Referred } from './desired-bug.ts';
import { isOperatorChange, operatorChange } from './operator-change.ts';
import { outcomeOf, type PlanContext, type PlanOfKind } from './plan.ts';
import { writeAttachmentData } from './plan-attachments.ts';
import { newComments, reviseComments } from './plan-comments.ts';
import type { CatalogueBug, Problem } from './schema.ts';

/** Bugs that are read and written together. */
const PORTION = 500;
/** Texts of comments that are in memory together, in characters. */
const PORTION_CHARACTERS = 8_000_000;
const CONCURRENT_ATTACHMENTS = 2;

/**
 * Adds bugs with their comments, and to existing bugs the comments and tags that they lack. Bugs are read and written in
 * portions, so that memory does not grow with their number: a catalogue of several portions is read once to compare it
 * with the table, and once to write it. Each write has the condition that what it was computed from has not changed.
 */
export async function planBugs(
  { table, catalogue, digest, counter, operator }: PlanContext,
  referred: Referred,
): Promise<PlanOfKind> {
  const compare = bugComparison(table, referred);
  // A bug that was removed and is created again has a revision that readers have not seen yet.
  const isFirst = (await lastId(table, 'bug')) === 0;
  const firstRevision = referred.isWhole && !isFirst ? Math.floor(table.now().getTime() / 1_000) : 0;
  const bulk = bulkBugRepository(table, table.now, firstRevision);
  const comments = commentRepository(table);
  const tags = tagRepository(table);
  const attachments = attachmentRepository(table, table.now);
  const products = productRepository(table);

  /** The entry of a bug with what follows from other entries, and its new comments. */
  function complete(plan: BugPlan) {
    const given = { ...plan.given, ...dependencies(digest, plan.given, plan.existing) };
    return { plan, given, added: newComments(given, plan.comments) };
  }
  type CompleteEntry = ReturnType<typeof complete>;

  async function newBug({ plan, given, added }: CompleteEntry): Promise<NewBug> {
    const { id } = given;
    const attached = await writeAttachmentData(table, id, given, [], attachments);
    const bug = desiredBug(id, given, undefined, referred);
    return {
      bug: { ...bug, attachment_count: attached.count },
      product: referred.productNamed(given.product).product,
      settings: {
        stored: referred.settings().stored,
        lists: given.status === undefined ? ['bug_status'] : [],
      },
      comments: added,
      history: historyItems(given, id),
      attachments: attached.actions,
      isBegun: plan.isBegun,
    };
  }

  async function changeBug(existing: BugItem, { plan, given, added }: CompleteEntry): Promise<void> {
    const { id } = given;
    const attached = await writeAttachmentData(table, id, given, plan.attachments, attachments);
    const attachment_count = given.attachments === undefined ? existing.attachment_count : attached.count;
    const desired = { ...desiredBug(id, given, existing, referred), attachment_count };
    const product = referred.productNamed(given.product).product;
    const own = await changeOfOperator(existing, desired);
    // What is restricted is written before what is released: the bug may lose a group.
    const { revisions } = plan.comments;
    await reviseComments(
      comments,
      tags,
      revisions.filter(({ isPrivate }) => isPrivate),
    );
    const replaced = await bulk.replace(
      existing,
      own?.bug ?? desired,
      product,
      historyItems(given, id),
      attached.actions,
      own,
    );
    if (own !== undefined) operator?.onChanged(id);
    await bulk.appendComments(replaced.bug, added);
    await finish(plan, added, replaced.isChanged || added.length > 0);
  }

  /** What the operator changes of a bug; undefined: the catalogue has a newer state of it, or the same. */
  async function changeOfOperator(existing: BugItem, desired: BugItem) {
    if (operator === undefined || isDeepStrictEqual(existing, desired)) return undefined;
    if (!isOperatorChange(existing, desired)) return undefined;
    return operatorChange(existing, desired, {
      products: await products.allWithParts([...new Set([existing.product_id, desired.product_id])]),
      fields: referred.settings().fields,
      login: await operator.login(),
      now: timestamp(table.now()),
    });
  }

  /** Changes comments, and tags the new ones. */
  async function finish(
    { existing, given, comments: planned }: BugPlan,
    added: CommentItem[],
    isChanged: boolean,
  ) {
    const addedTags = added.map((comment, index) => ({
      comment,
      tags: planned.added[index]?.tags ?? [],
    }));
    const revised = existing === undefined ? [] : planned.revisions.filter(({ isPrivate }) => !isPrivate);
    await reviseComments(comments, tags, [...revised, ...addedTags]);
    counter.count('bugs', outcomeOf(existing, isChanged));
    counter.count('comments', 'added', added.length);
    counter.count('comments', 'changed', planned.revisions.length);
    counter.count('comments', 'unchanged', given.comments.length - added.length - planned.revisions.length);
  }

  /** @returns the bugs that were not written, because somebody has changed them since they were read */
  async function tryWrite(plans: readonly BugPlan[]): Promise<[BugPlan, ConditionFailed][]> {
    const entries = plans.map(complete);
    const added = entries.filter(({ plan }) => plan.existing === undefined);
    const created = await mapConcurrent(added, newBug, CONCURRENT_ATTACHMENTS);
    const refused = await bulk.create(created);
    const failed = await mapConcurrent(entries, async (one): Promise<[BugPlan, ConditionFailed][]> => {
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
      await referred.readProductAgain(plan.given.product);
      await referred.readSettingsAgain();
      const again = accepted(await compare([plan], ALL_IDS), error);
      const [failure] = await tryWrite(again);
      if (failure !== undefined) throw failure[1];
    }
  }

  /** The bugs, which do not contradict the table. @throws error where one does */
  function accepted(plans: readonly BugPlan[], error = new ConditionFailed([0])): readonly BugPlan[] {
    if (plans.some((plan) => plan.problems.length > 0)) throw error;
    return plans;
  }

  /** One after the other: what is written one by one would wait for the transactions of others. */
  async function eachPortion(work: (entries: Entry[]) => Promise<void>): Promise<void> {
    const limits = [{ max: PORTION }, { max: PORTION_CHARACTERS, sizeOf: charactersOf }];
    for await (const entries of asyncPortions(entriesOf(catalogue), ...limits)) await work(entries);
  }

  const last = await readLastIds(table);
  const problems: Problem[] = [];
  let only: BugPlan[] | undefined;
  await eachPortion(async (entries) => {
    const plans = await compare(entries, last);
    problems.push(...plans.flatMap((plan) => plan.problems));
    if (plans.length === digest.bugs) only = plans;
    else counter.countRead(plans.length);
  });
  return {
    problems: problems.sort((a, b) => Number(a.path[1]) - Number(b.path[1])),
    async execute() {
      const current = await readLastIds(table);
      // So that no request gets them.
      for (const [name, highest] of digest.highestIds) {
        if (highest > 0) await advanceCounter(table, name, highest);
      }
      if (only !== undefined) await write(only);
      else {
        await eachPortion(async (entries) => {
          await write(accepted(await compare(entries, current)));
        });
      }
      for (const tag of catalogue.tag_spellings) await tags.respell(tag);
    },
  };
}

async function* entriesOf(catalogue: PlanContext['catalogue']): AsyncGenerator<Entry> {
  let index = 0;
  for await (const given of catalogue.bugs) {
    yield { given, path: catalogue.pathOf?.(index) ?? ['bugs', index] };
    index += 1;
  }
}

const charactersOf = ({ given }: Entry): number =>
  given.comments.reduce((sum, { text }) => sum + text.length, 0);

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
  return {
    blocks: idsOf('blocks', digest.blocks.get(bug.id)),
    depends_on: idsOf('depends_on', digest.dependsOn.get(bug.id)),
  };
}

const historyItems = ({ history }: CatalogueBug, id: number): HistoryItem[] =>
  history.map((entry) => ({ bug_id: id, ...entry }));
