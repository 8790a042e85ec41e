import { isDeepStrictEqual } from 'node:util';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { BugItem } from '../bugs/schema.ts';
import { tagRepository } from '../comment-tags/repository.ts';
import { sumOfHours } from '../comments/validation.ts';
import type { Table } from '../dynamodb/client.ts';
import { aliasKey, bugKey, tagKey } from '../dynamodb/keys.ts';
import { readItem } from '../dynamodb/read.ts';
import { ABSENT, type Action, transactWrite } from '../dynamodb/write.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { productRepository } from '../products/repository.ts';
import type { ProductWithParts } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import {
  appendComments,
  type PlacedComment,
  type PlacedComments,
  placeComments,
  setPrivacy,
} from './apply-comments.ts';
import type { Groups } from './apply-groups.ts';
import { claimId, findBug, idOf } from './find-bug.ts';
import { writeNewComments } from './new-comments.ts';
import { type Catalogue, type CatalogueBug, CatalogueError } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** Adds bugs with their comments, and to bugs that are there the comments and tags that are not. */
export async function applyBugs(
  table: Table,
  catalogue: Catalogue,
  groups: Groups,
  counter: SummaryCounter,
): Promise<void> {
  const products = await productsOf(table, catalogue);
  await mapConcurrent([...catalogue.bugs.entries()], async ([place, bug]) => {
    const path = `$.bugs[${place}]`;
    const existing = await findBug(table, bug, path);
    const id = existing?.id ?? (await idOf(table, bug));
    const wanted = wantedBug(id, bug, existing, products.get(normalizeName(bug.product)), groups, path);
    const placed = await placeComments(table, id, bug, existing, path);
    const { comments } = placed;
    const changed =
      existing === undefined
        ? await addBug(table, wanted, bug, placed)
        : await changeBug(table, existing, wanted, comments);
    counter.count('bugs', changed ? (existing === undefined ? 'added' : 'changed') : 'unchanged');
    const revised = await reviseComments(table, comments);
    counter.count('comments', 'added', comments.filter(({ isNew }) => isNew).length);
    counter.count('comments', 'changed', revised);
    counter.count('comments', 'unchanged', comments.filter(({ isNew }) => !isNew).length - revised);
  });
  for (const tag of catalogue.tag_spellings) await spellTag(table, tag);
}

/** The products that the bugs are in, by folded name. */
async function productsOf(table: Table, { bugs }: Catalogue): Promise<Map<string, ProductWithParts>> {
  const store = productRepository(table);
  const ids = await store.idsByName([...new Set(bugs.map(({ product }) => product))]);
  const read = await mapConcurrent([...ids], async ([normalized, id]) => {
    const product = await store.withParts(id, { components: true, milestones: false, versions: true });
    return product === undefined ? [] : [[normalized, product] as const];
  });
  return new Map(read.flat());
}

function wantedBug(
  id: number,
  bug: CatalogueBug,
  existing: BugItem | undefined,
  product: ProductWithParts | undefined,
  groups: Groups,
  path: string,
): BugItem {
  const component = product?.components.find(({ name }) => name === bug.component);
  if (product === undefined)
    throw new CatalogueError(`${path}.product: there is no product '${bug.product}'`);
  if (component === undefined) {
    throw new CatalogueError(`${path}.component: '${bug.product}' has no component '${bug.component}'`);
  }
  const [first] = bug.comments;
  const time = first?.creation_time ?? '';
  return {
    id,
    aliases: bug.aliases,
    product_id: product.product.id,
    component_id: component.id,
    version: bug.version ?? product.versions.find((version) => version.is_active)?.name ?? 'unspecified',
    summary: bug.summary,
    status: bug.status,
    reporter: bug.reporter,
    assigned_to: bug.assigned_to,
    qa_contact: bug.qa_contact,
    cc: bug.cc,
    groups: bug.groups.map((name, place) => groups.named(name, `${path}.groups[${place}]`).name),
    creation_time: existing?.creation_time ?? time,
    last_change_time: existing?.last_change_time ?? time,
    comment_count: existing?.comment_count ?? 0,
    last_comment_time: existing?.last_comment_time ?? time,
    hours_worked: existing?.hours_worked ?? 0,
  };
}

/** The comments first, which nobody sees before the bug is there. */
async function addBug(
  table: Table,
  bug: BugItem,
  given: CatalogueBug,
  placed: PlacedComments,
): Promise<boolean> {
  const comments = placed.comments.map(({ comment }) => comment);
  await claimId(table, given, bug.id);
  await writeNewComments(table, bug.id, comments, placed.stale);
  const last = comments.at(-1)?.creation_time ?? bug.creation_time;
  const complete: BugItem = {
    ...bug,
    comment_count: comments.length,
    last_comment_time: last,
    last_change_time: last,
    hours_worked: sumOfHours(comments.map(({ work_time }) => work_time)),
  };
  await transactWrite(table, [
    { put: { ...bugKey(bug.id), ...complete }, condition: ABSENT },
    ...aliasActions(bug, []),
  ]);
  return true;
}

async function changeBug(
  table: Table,
  existing: BugItem,
  wanted: BugItem,
  comments: PlacedComment[],
): Promise<boolean> {
  const changed = !isDeepStrictEqual(existing, wanted);
  if (changed) {
    await transactWrite(table, [
      {
        put: { ...bugKey(wanted.id), ...wanted },
        condition: 'comment_count = :read',
        values: { ':read': existing.comment_count },
      },
      ...aliasActions(wanted, existing.aliases),
    ]);
  }
  const added = comments.filter(({ isNew }) => isNew);
  await appendComments(table, wanted, added);
  return changed || added.length > 0;
}

function aliasActions(bug: BugItem, before: string[]): Action[] {
  const wanted = new Set(bug.aliases.map(normalizeName));
  const gone = before.filter((alias) => !wanted.has(normalizeName(alias)));
  return [
    ...bug.aliases.map(
      (alias): Action => ({
        put: { ...aliasKey(alias), bug_id: bug.id },
        condition: 'attribute_not_exists(pk) OR bug_id = :id',
        values: { ':id': bug.id },
      }),
    ),
    ...gone.map((alias): Action => ({ remove: aliasKey(alias) })),
  ];
}

/**
 * Gives comments the privacy that the catalogue wants, and the tags that they do not have yet, counted as any
 * other; gives how many old comments that changed.
 */
async function reviseComments(table: Table, comments: PlacedComment[]): Promise<number> {
  const store = tagRepository(table);
  let changed = 0;
  for (const placed of comments) {
    const { comment, tags, isPrivate, isNew } = placed;
    const there = new Set(comment.tags.map(normalizeName));
    const missing = tags.filter((tag) => !there.has(normalizeName(tag)));
    const hasOtherPrivacy = isPrivate !== comment.is_private;
    if (hasOtherPrivacy) await setPrivacy(table, placed);
    if (missing.length > 0) await store.update(comment, missing, []);
    if (!isNew && (hasOtherPrivacy || missing.length > 0)) changed += 1;
  }
  return changed;
}

/** Makes the search spell a tag in this way, if it is in use. */
async function spellTag(table: Table, tag: string): Promise<void> {
  if ((await readItem(table, tagKey(tag))) === undefined) return;
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...tagKey(tag) },
      UpdateExpression: 'SET tag = :tag',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':tag': tag },
    }),
  );
}
