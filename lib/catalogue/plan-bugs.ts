import { attachmentRepository } from '../attachments/repository.ts';
import { bulkBugRepository } from '../bugs/bulk-repository.ts';
import { sortedNumbers } from '../bugs/change/drafts.ts';
import { bugRepository } from '../bugs/repository.ts';
import { type BugItem, bugItem, type HistoryItem } from '../bugs/schema.ts';
import { tagRepository } from '../comment-tags/repository.ts';
import { commentRepository } from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { claimId, type KnownIds, readKnownIds } from './bug-source-repository.ts';
import { DEFAULT_VERSION, DEFAULTS, mergeFields } from './defaults.ts';
import { outcomeOf, type Plan, type PlanContext } from './plan.ts';
import { attachmentProblems, writeAttachments } from './plan-attachments.ts';
import {
  type CommentsPlan,
  type FoundBug,
  newComments,
  planComments,
  reviseComments,
  staleLeftovers,
} from './plan-comments.ts';
import type { GroupNamed } from './plan-groups.ts';
import type { ProductNamed } from './plan-products.ts';
import type { CatalogueBug, Problem } from './schema.ts';

interface BugPlan extends FoundBug {
  problems: Problem[];
  comments: CommentsPlan;
}

/** Adds bugs with their comments, and to existing bugs the comments and tags that they lack. */
export async function planBugs(
  { table, catalogue, counter }: PlanContext,
  groupNamed: GroupNamed,
  productNamed: ProductNamed,
): Promise<Plan> {
  const repository = bugRepository(table, () => new Date());
  const bulk = bulkBugRepository(table, () => new Date());
  const comments = commentRepository(table);
  const tags = tagRepository(table);
  const attachments = attachmentRepository(table, () => new Date());
  const dependencies = bothEnds(catalogue.bugs);

  async function planAll(entries: Pick<FoundBug, 'given' | 'path'>[]): Promise<BugPlan[]> {
    const known = await readKnownIds(
      table,
      entries.map(({ given }) => given),
    );
    const candidates = entries.map(({ given }, index) => candidateIds(given, known[index]));
    const stored = await repository.byIds(candidates.flat());
    return mapConcurrent([...entries.entries()], async ([index, { given, path }]) => {
      const { claimed, ofAliases = [] } = known[index] ?? {};
      const existing = candidates[index]?.map((id) => stored.get(id)).find((bug) => bug !== undefined);
      const found = { path, given, id: given.id ?? claimed ?? existing?.id, existing };
      const ids = given.comments.flatMap(({ id }) => id ?? []);
      const planned = planComments(found, await storedComments(found.id), await comments.bugsOf(ids));
      const problems = [
        ...aliasProblems(found, ofAliases),
        ...identityProblems(found, planned),
        ...(await attachmentProblems(given, found.id, path, attachments)),
      ];
      return { ...found, comments: planned, problems };
    });
  }

  async function storedComments(id: number | undefined): Promise<CommentItem[]> {
    const stored: CommentItem[] = [];
    if (id !== undefined) for await (const page of comments.ofBug(id)) stored.push(...page);
    return stored;
  }

  async function write(plan: BugPlan): Promise<void> {
    const { existing, comments: planned } = plan;
    const given = { ...plan.given, ...dependencies(plan.given, existing) };
    const id = plan.id ?? (await repository.allocateId());
    const attached = await writeAttachments(id, given, attachments);
    const bug = {
      ...desiredBug(id, given, existing, groupNamed, productNamed),
      attachment_count: attached.count,
    };
    const kept = given.comments.length - planned.added.length;
    const added = await newComments(planned, id, kept, comments.allocateId);
    let isChanged = added.length > 0 || attached.isChanged;
    if (existing === undefined) {
      await claimId(table, given, id);
      await bulk.create(bug, added, historyOf(given, id), staleLeftovers(planned, added));
    } else {
      const replaced = await bulk.replace(existing, bug, historyOf(given, id));
      isChanged ||= replaced.isChanged;
      await bulk.appendComments(replaced.bug, added);
    }
    const addedTags = added.map((comment, index) => ({ comment, tags: planned.added[index]?.tags ?? [] }));
    await reviseComments(comments, tags, [...planned.revisions, ...addedTags]);
    counter.count('bugs', outcomeOf(existing, isChanged));
    counter.count('comments', 'added', added.length);
    counter.count('comments', 'changed', planned.revisions.length);
    counter.count('comments', 'unchanged', kept - planned.revisions.length);
  }

  const plans = await planAll(catalogue.bugs.map((given, b) => ({ given, path: ['bugs', b] })));
  return {
    problems: plans.flatMap(({ problems }) => problems),
    async execute() {
      await mapConcurrent(plans, async (plan) => {
        try {
          await write(plan);
        } catch (error) {
          // Somebody has changed the bug since it was read, which may be long ago.
          const [again] = error instanceof ConditionFailed ? await planAll([plan]) : [];
          if (again === undefined || again.problems.length > 0) throw error;
          await write(again);
        }
      });
      for (const tag of catalogue.tag_spellings) await tags.respell(tag);
    },
  };
}

/** The ids under which the table may have a bug, the most certain one first. */
function candidateIds(given: CatalogueBug, known: KnownIds | undefined): number[] {
  const certain = given.id ?? known?.claimed;
  if (certain !== undefined) return [certain];
  return [known?.ofContent, ...(known?.ofAliases ?? [])].filter((id) => id !== undefined);
}

const aliasProblems = ({ path, id }: FoundBug, holders: KnownIds['ofAliases']): Problem[] =>
  holders.flatMap((holder, a) =>
    holder === undefined || holder === id
      ? []
      : [{ path: [...path, 'aliases', a], message: `bug ${holder} has this alias` }],
  );

/** The problems of the comments, unless the table has another bug. */
function identityProblems({ path, given, existing }: FoundBug, { problems }: CommentsPlan): Problem[] {
  if (existing === undefined || existing.reporter === given.reporter) return problems;
  const { id, reporter } = existing;
  return [{ path, message: `bug ${id} is another one, reported by '${reporter}'` }];
}

function desiredBug(
  id: number,
  given: CatalogueBug,
  existing: BugItem | undefined,
  groupNamed: GroupNamed,
  productNamed: ProductNamed,
): BugItem {
  const { product, components, versions } = productNamed(given.product);
  const [description] = given.comments;
  const created = existing?.creation_time ?? description?.creation_time ?? '';
  const changed = existing?.last_change_time ?? created;
  const {
    comments: _,
    history: __,
    product: ___,
    component: ____,
    custom,
    last_change_time = changed,
    ...fields
  } = given;
  const defaults = {
    ...DEFAULTS.bug,
    target_milestone: product.default_milestone,
    version: versions.find((version) => version.is_active)?.name ?? DEFAULT_VERSION,
    comment_count: 0,
    last_comment_time: created,
    hours_worked: 0,
  };
  const groups = given.groups?.map((name) => groupNamed(name).name);
  return bugItem.parse({
    ...mergeFields(defaults, existing, { ...fields, groups }),
    id,
    custom: storedCustom({ ...existing?.custom, ...custom }),
    product_id: product.id,
    component_id: components.find(({ name }) => name === given.component)?.id,
    creation_time: created,
    last_change_time: last_change_time > changed ? last_change_time : changed,
  });
}

/** The values of custom fields as they are stored: a day without its time, none where it is empty. */
const storedCustom = (given: CatalogueBug['custom']): BugItem['custom'] =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
      return isEmpty ? [] : [[name, value]];
    }),
  );

type Dependencies = Pick<CatalogueBug, 'blocks' | 'depends_on'>;

/**
 * The dependencies of bugs at both ends, where the catalogue has one. An existing bug keeps those of a field that the
 * catalogue does not give for it.
 */
function bothEnds(bugs: CatalogueBug[]): (bug: CatalogueBug, existing: BugItem | undefined) => Dependencies {
  const blocks = new Map<number, Set<number>>();
  const dependsOn = new Map<number, Set<number>>();
  const note = (blocker: number, blocked: number) => {
    blocks.set(blocker, (blocks.get(blocker) ?? new Set()).add(blocked));
    dependsOn.set(blocked, (dependsOn.get(blocked) ?? new Set()).add(blocker));
  };
  for (const { id, blocks = [], depends_on = [] } of bugs) {
    if (id === undefined) continue;
    for (const other of blocks) note(id, other);
    for (const other of depends_on) note(other, id);
  }
  return (bug, existing) => {
    const idsOf = (field: keyof Dependencies, found: Set<number> = new Set()) => {
      const kept = bug[field] ?? existing?.[field] ?? [];
      return bug[field] === undefined && found.size === 0 ? undefined : sortedNumbers([...found, ...kept]);
    };
    const id = bug.id ?? 0;
    return { blocks: idsOf('blocks', blocks.get(id)), depends_on: idsOf('depends_on', dependsOn.get(id)) };
  };
}

const historyOf = ({ history }: CatalogueBug, id: number): HistoryItem[] =>
  history.map((entry) => ({ bug_id: id, ...entry }));
