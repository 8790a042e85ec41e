import { trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Caller } from '../people/caller.ts';
import type { RecordFor } from '../table/idempotency.ts';
import { desiredOf } from './document-repository.ts';
import { requirePartOfPath, requireProduct } from './find-parts.ts';
import {
  type ChangePart,
  isDefaultMilestone,
  type PartSources,
  partNamed,
  RELEASES,
  type ReleaseKind,
  withPart,
  writePart,
} from './parts.ts';
import type { ProductWithParts, ReleaseItem } from './schema.ts';
import { checkReleaseName, checkSortKey } from './validation.ts';

/** Fields of a version or a milestone as a request gives them. */
interface GivenRelease {
  sort_key?: string | undefined;
  is_active?: boolean | undefined;
}

/**
 * Creates a version or a milestone of a product.
 *
 * @returns the id
 */
export async function createRelease(
  sources: PartSources,
  retryTimeoutMs: number,
  caller: Caller,
  kind: ReleaseKind,
  given: GivenRelease & { product: string; name: string },
  recordFor: RecordFor,
): Promise<number> {
  if (trim(given.product) === '') throw errors.parameterMissing('product');
  const first = await requireProduct(sources.products, given.product, caller);
  checkReleaseName(given.name);
  const id = await sources.productDocuments.allocateReleaseId(kind);
  const write = { first, command: `rest add ${kind}`, record: recordFor(id) };
  await writePart(sources, retryTimeoutMs, caller, write, addRelease(kind, id, given));
  return id;
}

/** Adds a version or a milestone to a product. @throws BugzillaError for a wrong name */
export function addRelease(
  kind: ReleaseKind,
  id: number,
  given: GivenRelease & { name: string },
): ChangePart<ReleaseItem> {
  const name = checkReleaseName(given.name);
  const part = { id, name, sort_key: 0, is_active: true, ...fieldsOf(given) };
  const parts = RELEASES[kind];
  return (existing) => {
    if (partNamed(existing[parts], name) !== undefined) throw errors.releaseTaken(kind, name);
    return { desired: { ...desiredOf(existing), [parts]: withPart(existing[parts], part) }, part };
  };
}

/** Changes a version or a milestone of a product. */
export function updateRelease(
  kind: ReleaseKind,
  found: ReleaseItem,
  given: GivenRelease,
): ChangePart<ReleaseItem> {
  const parts = RELEASES[kind];
  const fields = fieldsOf(given);
  return (existing) => {
    const before = existing[parts].find(({ id }) => id === found.id);
    if (before === undefined) throw errors.valueUnknown(kind, found.name);
    const part = { ...before, ...fields };
    if (!part.is_active && isDefaultMilestone(existing, kind, part)) {
      throw errors.parameterInvalid('is_active', 'it is the default milestone');
    }
    return { desired: { ...desiredOf(existing), [parts]: withPart(existing[parts], part) }, part };
  };
}

/**
 * Changes a version or a milestone. Its name stays: it stands in bugs.
 *
 * @param path `<product>/<name>`
 * @returns it as it is then
 */
export async function changeRelease(
  sources: PartSources,
  retryTimeoutMs: number,
  caller: Caller,
  kind: ReleaseKind,
  path: string,
  given: GivenRelease,
): Promise<ReleaseItem> {
  const parts = RELEASES[kind];
  const partsOf = (product: ProductWithParts) => product[parts];
  const { first, part: found } = await requirePartOfPath(sources.products, path, caller, { kind, partsOf });
  const write = { first, command: `rest change ${kind}` };
  return writePart(sources, retryTimeoutMs, caller, write, updateRelease(kind, found, given));
}

const fieldsOf = ({ sort_key, is_active }: GivenRelease): Partial<ReleaseItem> => ({
  ...(sort_key === undefined ? {} : { sort_key: checkSortKey(sort_key) }),
  ...(is_active === undefined ? {} : { is_active }),
});
