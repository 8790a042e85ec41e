import { compareNames, normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { type Caller, requireUser } from '../../people/caller.ts';
import { isBugGroup } from '../../people/presenter.ts';
import type { GroupItem } from '../../people/schema.ts';
import { desiredOf, type ProductDocumentRepository } from '../../products/document-repository.ts';
import { controlsProblem, NO_CONTROL } from '../../products/group-controls.ts';
import { isOfType, requireAccessible, requireProductEditor } from '../../products/permissions.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { GivenControl } from '../../products/requests.ts';
import {
  type GroupControl,
  type ProductItem,
  type ProductWithParts,
  productIndexEntry,
} from '../../products/schema.ts';
import type { Table } from '../../table/client.ts';
import { retryStale } from '../../table/retry.ts';
import { followProduct } from './follow-product.ts';
import type { BugRepository } from './repository.ts';

/** Bugs of a product whose groups change with its controls over REST; the catalogue has no bound. */
const MAX_FOLLOWING_BUGS = 1_000;

interface ControlSources {
  table: Table;
  products: ProductRepository;
  productDocuments: ProductDocumentRepository;
  bugs: Pick<BugRepository, 'byId' | 'byIds'>;
  groups: { byNames(names: string[]): Promise<GroupItem[]> };
  /** the ids of the bugs of a product */
  idsOfProduct: (product: number) => Promise<number[]>;
}

/**
 * The product with an id, or a name in any case, if the caller may edit it.
 *
 * @param given as the client named it
 */
export async function requireEditableProduct(
  products: ProductRepository,
  { given, byId }: { given: string; byId: boolean },
  caller: Caller,
): Promise<ProductWithParts> {
  requireUser(caller);
  const id = byId ? Number(given) : (await products.idsByName([given])).get(normalizeName(given));
  const found = requireAccessible(id === undefined ? undefined : await products.withParts(id), given, caller);
  requireProductEditor(caller, found.product);
  // Who may only enter bugs would open those of others to themselves.
  if (!isOfType(productIndexEntry(found.product), 'selectable', caller))
    throw errors.productAccessDenied(given);
  return found;
}

/**
 * Changes group controls of a product, with an entry of the audit log; its bugs follow. They get groups before the product
 * requires them, and lose groups after it, so that an interruption shows no bug to more people.
 *
 * @param named as `requireEditableProduct` takes it
 * @returns the product as it is then
 */
export function changeGroupControls(
  sources: ControlSources,
  caller: Caller,
  named: { given: string; byId: boolean },
  given: readonly GivenControl[],
): Promise<ProductItem> {
  const { table, products, productDocuments, bugs } = sources;
  return retryStale('the product', async () => {
    const existing = await requireEditableProduct(products, named, caller);
    const { group_controls, groups } = await changedControls(sources, existing.product, given);
    const { product, ...parts } = desiredOf(existing);
    const desired = { product: { ...product, group_controls }, ...parts };
    const idsOfProduct = async (id: number) => {
      const ids = await sources.idsOfProduct(id);
      if (ids.length <= MAX_FOLLOWING_BUGS) return ids;
      throw errors.requestTooLarge(`at most ${MAX_FOLLOWING_BUGS} bugs of a product; use the catalogue`);
    };
    await followProduct(table, bugs, idsOfProduct, existing, desired, { isBefore: true, named: groups });
    const audit = { who: requireUser(caller).login, command: 'rest change group controls' };
    await productDocuments.saveTogether([{ existing, desired }], { audit });
    await followProduct(table, bugs, idsOfProduct, existing, desired, { named: groups });
    return { ...existing.product, group_controls };
  });
}

/** The controls of a product after a change, by group, and the names of the groups that it names. */
async function changedControls(
  { groups }: ControlSources,
  { group_controls }: ProductItem,
  given: readonly GivenControl[],
): Promise<{ group_controls: GroupControl[]; groups: string[] }> {
  const found = await groups.byNames(given.map(({ group }) => group));
  const known = new Map(found.map((group) => [normalizeName(group.name), group]));
  const next = new Map(group_controls.map((control) => [control.group, control]));
  for (const { group: name, ...changes } of given) {
    const group = known.get(normalizeName(name));
    if (group === undefined) throw errors.groupUnknown(name);
    if (group.is_active === false || !isBugGroup(group)) {
      throw errors.parameterInvalid('group_controls', `the group '${name}' is not active, or none of bugs`);
    }
    const before = next.get(group.name) ?? { ...NO_CONTROL, group: group.name };
    const control = { ...before, ...withoutAbsent(changes) };
    // Else it stays, or has to be given: bugs of others do not become public unsaid.
    const isImplied = control.membercontrol === 'MANDATORY' || control.membercontrol === 'NA';
    if (changes.othercontrol === undefined && isImplied) control.othercontrol = control.membercontrol;
    const problem = controlsProblem(control);
    if (problem !== undefined) {
      throw errors.parameterInvalid('group_controls', `othercontrol of '${group.name}' ${problem}`);
    }
    next.set(group.name, control);
  }
  const isKept = ({ group: _, membercontrol, othercontrol: __, ...switches }: GroupControl) =>
    membercontrol !== 'NA' || Object.values(switches).includes(true);
  return {
    group_controls: [...next.values()].filter(isKept).sort((a, b) => compareNames(a.group, b.group)),
    groups: found.map(({ name }) => name),
  };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutAbsent<T extends object>(given: T): Present<T>;
function withoutAbsent(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
