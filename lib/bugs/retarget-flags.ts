import { type AttachmentRepository, putAttachmentActions } from '../attachments/repository.ts';
import type { Table } from '../dynamodb/client.ts';
import { bugOfIndexKey, productBugsPartition } from '../dynamodb/keys.ts';
import { anyItem, readPages } from '../dynamodb/read.ts';
import { retryStale } from '../dynamodb/retry.ts';
import { type Action, transactWrite } from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import type { FlagItem } from '../flags/schema.ts';
import { portions } from '../portions.ts';
import { isAvailable } from '../products/flag-types.ts';
import type { FlagTypeItem } from '../products/schema.ts';
import { timestamp } from '../time.ts';
import type { BugRepository } from './repository.ts';
import type { BugItem } from './schema.ts';
import { putBugActions } from './write-bug.ts';

/** What a change of flag types is carried over to. */
export interface RetargetSources {
  table: Table;
  bugs: Pick<BugRepository, 'byId' | 'byIds'>;
  attachments: AttachmentRepository;
  now(): Date;
}

/** The flag types of a product after the change. */
type TypesOf = (product: number) => Promise<readonly FlagTypeItem[]>;

/** Bugs that are read, which takes about as many reads. */
const MAX_BUGS = 10_000;
/** The limit of BatchGetItem, and of a transaction. */
const BATCH = { max: 100 };

/** The ids of the bugs of a product, page by page. */
export async function* bugIdPages(table: Table, product: number): AsyncGenerator<number[]> {
  for (const isOpen of [true, false]) {
    const range = { pk: productBugsPartition(product, isOpen) };
    for await (const page of readPages(table, range, anyItem)) {
      yield page.map(bugOfIndexKey);
    }
  }
}

/**
 * The ids of the bugs of some products.
 *
 * @throws errors.requestTooLarge (400, 32000)
 */
export async function bugsOfProducts(table: Table, products: readonly number[]): Promise<number[]> {
  const all = new Set<number>();
  for (const product of products) {
    for await (const ids of bugIdPages(table, product)) {
      for (const id of ids) all.add(id);
      if (all.size > MAX_BUGS) {
        throw errors.requestTooLarge(`flags of products with at most ${MAX_BUGS} bugs together`);
      }
    }
  }
  return [...all];
}

/** What flags that are set follow of their types. */
const followed = ({ name, target, components, excluded_components, is_requesteeble }: FlagTypeItem) =>
  JSON.stringify([name, target, components, excluded_components, is_requesteeble]);

/** The ids of the flag types of a product whose flags have to follow a change. */
export function followedTypes(before: readonly FlagTypeItem[], after: readonly FlagTypeItem[]): Set<number> {
  const next = new Map(after.map((type) => [type.id, followed(type)]));
  return new Set(before.filter((type) => next.get(type.id) !== followed(type)).map(({ id }) => id));
}

/**
 * Carries a change of flag types over to the flags that are set: they get the present name; those that are not available
 * any more are deleted, and so are requestees where none is allowed, as in Bugzilla without history. Bugs are written
 * one by one; the same call completes what a failure left.
 *
 * @param ids of bugs
 * @param typeIds of the changed types
 * @param typesOf called for the product of each bug
 */
export async function retargetFlags(
  sources: RetargetSources,
  ids: readonly number[],
  typeIds: ReadonlySet<number>,
  typesOf: TypesOf,
): Promise<void> {
  for (const batch of portions([...ids], BATCH)) {
    const bugs = await sources.bugs.byIds(batch);
    for (const bug of bugs.values()) {
      const isConcerned = bug.attachment_count > 0 || bug.flags.some(({ type_id }) => typeIds.has(type_id));
      if (isConcerned) await retargetBug(sources, bug.id, typeIds, typesOf);
    }
  }
}

const retargetBug = (
  sources: RetargetSources,
  id: number,
  typeIds: ReadonlySet<number>,
  typesOf: TypesOf,
): Promise<void> =>
  retryStale(sources.table.retryTimeoutMs, 'the bug', async () => {
    const bug = await sources.bugs.byId(id);
    const actions =
      bug === undefined ? [] : await actionsOf(bug, sources, typeIds, await typesOf(bug.product_id));
    for (const batch of portions(actions, BATCH)) await transactWrite(sources.table, batch);
  });

async function actionsOf(
  bug: BugItem,
  { attachments, now }: RetargetSources,
  typeIds: ReadonlySet<number>,
  types: readonly FlagTypeItem[],
): Promise<Action[]> {
  const next = (flags: readonly FlagItem[], target: FlagTypeItem['target']) =>
    flags.flatMap((flag) =>
      typeIds.has(flag.type_id) ? retargeted(flag, target, bug.component_id, types) : [flag],
    );
  const isSame = (a: readonly FlagItem[], b: readonly FlagItem[]) => JSON.stringify(a) === JSON.stringify(b);
  const flags = next(bug.flags, 'bug');
  const own = isSame(bug.flags, flags)
    ? []
    : putBugActions(bug, { ...bug, flags, revision: bug.revision + 1 }, timestamp(now()));
  const attached = bug.attachment_count === 0 ? [] : await attachments.ofBug(bug.id);
  return [
    ...own,
    ...attached.flatMap((attachment) => {
      const kept = next(attachment.flags, 'attachment');
      return isSame(attachment.flags, kept)
        ? []
        : putAttachmentActions(attachment, { ...attachment, flags: kept });
    }),
  ];
}

function retargeted(
  flag: FlagItem,
  target: FlagTypeItem['target'],
  component: number,
  types: readonly FlagTypeItem[],
): FlagItem[] {
  const type = types.find(({ id }) => id === flag.type_id);
  if (type === undefined || !isAvailable(type, target, component)) return [];
  return [{ ...flag, name: type.name, requestee: type.is_requesteeble ? flag.requestee : null }];
}
