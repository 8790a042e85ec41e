import { bulkBugRepository } from '../bugs/bulk-repository.ts';
import { sortedNumbers } from '../bugs/change/drafts.ts';
import { type BugItem, bugItem, type HistoryItem } from '../bugs/schema.ts';
import { tagRepository } from '../comment-tags/repository.ts';
import { commentRepository } from '../comments/repository.ts';
import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { productRepository } from '../products/repository.ts';
import type { ProductWithParts } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import type { Groups } from './apply-groups.ts';
import { claimId, findBug, idOf } from './bug-source-repository.ts';
import { DEFAULT_VERSION, DEFAULTS, mergeFields } from './defaults.ts';
import { CatalogueError } from './errors.ts';
import { type PlacedComment, placeComments } from './place-comments.ts';
import type { Catalogue, CatalogueBug } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** Adds bugs with their comments, and to existing bugs the comments and tags that they lack. */
export async function applyBugs(
  table: Table,
  catalogue: Catalogue,
  groups: Groups,
  counter: SummaryCounter,
): Promise<void> {
  const products = await readProducts(table, catalogue);
  const bugs = bulkBugRepository(table);
  const dependencies = bothEnds(catalogue.bugs);
  await mapConcurrent([...catalogue.bugs.entries()], async ([index, entry]) => {
    const path = `$.bugs[${index}]`;
    const existing = await findBug(table, entry, path);
    const given = { ...entry, ...dependencies(entry, existing) };
    const id = existing?.id ?? (await idOf(table, given));
    const product = products.get(normalizeName(given.product));
    const bug = wantedBug(id, given, existing, product, groups, path);
    const { comments, stale } = await placeComments(table, id, given, existing, path);
    const added = comments.filter(({ isNew }) => isNew);

    let isChanged = added.length > 0;
    if (existing === undefined) {
      await claimId(table, given, id);
      await bugs.create(
        bug,
        comments.map(({ comment }) => comment),
        historyOf(given, id),
        stale,
      );
    } else {
      const replaced = await bugs.replace(existing, bug, historyOf(given, id));
      isChanged ||= replaced.isChanged;
      await bugs.appendComments(
        replaced.bug,
        added.map(({ comment }) => comment),
      );
    }
    const outcome = existing === undefined ? 'added' : isChanged ? 'changed' : 'unchanged';
    counter.count('bugs', outcome);
    const revised = await reviseComments(table, comments);
    counter.count('comments', 'added', added.length);
    counter.count('comments', 'changed', revised);
    counter.count('comments', 'unchanged', comments.length - added.length - revised);
  });
  const tags = tagRepository(table);
  for (const tag of catalogue.tag_spellings) await tags.respell(tag);
}

/** The products that the bugs name, by normalized name. */
async function readProducts(table: Table, { bugs }: Catalogue): Promise<Map<string, ProductWithParts>> {
  const products = productRepository(table);
  const ids = await products.idsByName([...new Set(bugs.map(({ product }) => product))]);
  const read = await mapConcurrent([...ids], async ([name, id]) => {
    const product = await products.withParts(id);
    return product === undefined ? [] : [[name, product] as const];
  });
  return new Map(read.flat());
}

function wantedBug(
  id: number,
  given: CatalogueBug,
  existing: BugItem | undefined,
  product: ProductWithParts | undefined,
  groups: Groups,
  path: string,
): BugItem {
  if (product === undefined) {
    throw new CatalogueError(`${path}.product: there is no product '${given.product}'`);
  }
  const component = product.components.find(({ name }) => name === given.component);
  if (component === undefined) {
    throw new CatalogueError(`${path}.component: '${given.product}' has no component '${given.component}'`);
  }
  const [description] = given.comments;
  const created = existing?.creation_time ?? description?.creation_time ?? '';
  const changed = existing?.last_change_time ?? created;
  const {
    comments: _,
    history: __,
    product: ___,
    component: ____,
    last_change_time = changed,
    ...fields
  } = given;
  const defaults = {
    ...DEFAULTS.bug,
    target_milestone: product.product.default_milestone,
    version: product.versions.find((version) => version.is_active)?.name ?? DEFAULT_VERSION,
    comment_count: 0,
    last_comment_time: created,
    hours_worked: 0,
  };
  const groupNames = given.groups?.map((name, index) => groups.named(name, `${path}.groups[${index}]`).name);
  return bugItem.parse({
    ...mergeFields(defaults, existing, { ...fields, groups: groupNames }),
    id,
    product_id: product.product.id,
    component_id: component.id,
    creation_time: created,
    last_change_time: last_change_time > changed ? last_change_time : changed,
  });
}

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

/**
 * Sets the privacy of comments, and adds the tags that they lack.
 *
 * @returns how many existing comments changed
 */
async function reviseComments(table: Table, placed: PlacedComment[]): Promise<number> {
  const tagsOfComments = tagRepository(table);
  const comments = commentRepository(table);
  let changed = 0;
  for (const { comment, tags, isPrivate, isNew } of placed) {
    const present = new Set(comment.tags.map(normalizeName));
    const missing = tags.filter((tag) => !present.has(normalizeName(tag)));
    const hasOtherPrivacy = isPrivate !== comment.is_private;
    if (hasOtherPrivacy) await comments.setPrivacy(comment, isPrivate);
    if (missing.length > 0) await tagsOfComments.addAll(comment, missing);
    if (!isNew && (hasOtherPrivacy || missing.length > 0)) changed += 1;
  }
  return changed;
}
