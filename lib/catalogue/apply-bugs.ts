import { bulkBugRepository } from '../bugs/bulk-repository.ts';
import type { BugItem } from '../bugs/schema.ts';
import { tagRepository } from '../comment-tags/repository.ts';
import { commentRepository } from '../comments/repository.ts';
import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { productRepository } from '../products/repository.ts';
import type { ProductWithParts } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import type { Groups } from './apply-groups.ts';
import { claimId, findBug, idOf } from './bug-source-repository.ts';
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
  await mapConcurrent([...catalogue.bugs.entries()], async ([index, given]) => {
    const path = `$.bugs[${index}]`;
    const existing = await findBug(table, given, path);
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
        stale,
      );
    } else {
      isChanged = (await bugs.replace(existing, bug)) || isChanged;
      await bugs.appendComments(
        bug,
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
    const product = await products.withParts(id, { components: true, milestones: false, versions: true });
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
  const time = description?.creation_time ?? '';
  const activeVersion = product.versions.find((version) => version.is_active)?.name;
  return {
    id,
    aliases: given.aliases,
    product_id: product.product.id,
    component_id: component.id,
    version: given.version ?? activeVersion ?? 'unspecified',
    summary: given.summary,
    status: given.status,
    reporter: given.reporter,
    assigned_to: given.assigned_to,
    qa_contact: given.qa_contact,
    cc: given.cc,
    groups: given.groups.map((name, index) => groups.named(name, `${path}.groups[${index}]`).name),
    creation_time: existing?.creation_time ?? time,
    last_change_time: existing?.last_change_time ?? time,
    comment_count: existing?.comment_count ?? 0,
    last_comment_time: existing?.last_comment_time ?? time,
    hours_worked: existing?.hours_worked ?? 0,
  };
}

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
