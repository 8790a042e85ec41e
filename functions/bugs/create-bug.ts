import type * as z from 'zod/mini';
import { type BugChange, fieldChanges } from '../../lib/bugs/changes.ts';
import { type BugDrafts, distinctNames, namedBug } from '../../lib/bugs/drafts.ts';
import type { NewBug } from '../../lib/bugs/repository.ts';
import { EDIT_BUGS } from '../../lib/bugs/rights.ts';
import { bugUrl, readSeeAlso } from '../../lib/bugs/see-also.ts';
import { checkLength, normalizeText } from '../../lib/comments/validation.ts';
import { retry } from '../../lib/dynamodb/retry.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { RecordFor } from '../../lib/idempotency/repository.ts';
import { isOfType } from '../../lib/products/permissions.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { type ProductWithParts, productIndexEntry } from '../../lib/products/schema.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { baseAddress } from './change-sources.ts';
import { computeBug } from './compute-bug.ts';
import { withRestNames } from './rest-names.ts';
import { IGNORED_OF_NEW_BUG, newBug } from './schemas.ts';
import type { BugServices } from './services.ts';

type Given = z.output<typeof newBug>;

/**
 * Creates a bug with its description, the comment 0, in a product that the caller may enter bugs against; answers its
 * id.
 *
 * @throws errors of 106 for the product, 105 for the component, 107 and 104 for the summary, 50 to 56 for other
 * values, 103 for an alias, 504 for CC, 112, 114, 113, 120, 122, 123
 */
export const createBug: Endpoint<BugServices> = async (request, services) => {
  const caller = await request.caller;
  const response = await services.idempotent(request, requireUser(caller), (recordFor) =>
    create(request, caller, services, recordFor),
  );
  // Bugzilla answers 200 for a new bug, and 201 for everything else that is created.
  return ok(response.body);
};

async function create(
  request: BugzillaRequest,
  caller: Caller,
  services: BugServices,
  recordFor: RecordFor,
): Promise<number> {
  const user = requireUser(caller);
  const given = readGiven(request.parameters, caller, services);
  const product = await requireProduct(services.products, given.product, caller);
  const description = readDescription(given, caller, services);
  const base = baseAddress(request);
  let ids: Promise<[number, number]> | undefined;
  // Only for a request that is valid: others leave no gap.
  const allocate = () => {
    ids ??= Promise.all([services.bugs.allocateId(), services.comments.allocateId()]);
    return ids;
  };

  // Another request may write one of the bugs that this one refers to: then it is computed again.
  return retry(services.settings.DATABASE_RETRY_TIMEOUT_MS, async () => {
    const { fields, drafts, bugIds } = await computeBug(given, product, caller, base, services);
    const [id, commentId] = await allocate();
    const bug = { ...fields, see_also: relate(id, fields, given, drafts, bugIds, base) };
    const comment = { id: commentId, ...description, workTime: 0 };
    const related = relatedChanges(drafts);
    const isWritten = await services.bugs.create(user, id, bug, comment, related, recordFor);
    return isWritten
      ? { done: true, value: id }
      : { done: false, reason: 'another bug was changed meanwhile' };
  });
}

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(newBug.shape), ...IGNORED_OF_NEW_BUG]);
const FOR_EDITORS = ['assigned_to', 'qa_contact', 'blocks', 'depends_on', 'status'];
const FOR_TRACKERS = ['deadline', 'estimated_time'];

/**
 * What a request says of a new bug; what the caller may not say is left out.
 *
 * @throws errors.parameterUnknown, errors.parameterInvalid (400, 53)
 */
function readGiven(parameters: Parameters, caller: Caller, { settings }: BugServices): Given {
  const named = withRestNames(parameters);
  for (const name of named.keys()) if (!KNOWN.has(name)) throw errors.parameterUnknown(name);
  const left = [
    ...(isInGroup(caller, EDIT_BUGS) ? [] : FOR_EDITORS),
    ...(isInGroup(caller, settings.TIMETRACKING_GROUP) ? [] : FOR_TRACKERS),
  ];
  return parseParameters(newBug, new Map([...named].filter(([name]) => !left.includes(name))));
}

/** @throws errors.parameterMissing (400, 50), errors.productAccessDenied (401, 106), errors.noComponents (400, 32000) */
async function requireProduct(
  products: ProductRepository,
  given: string | undefined,
  caller: Caller,
): Promise<ProductWithParts> {
  const name = given?.trim() ?? '';
  if (name === '') throw errors.parameterMissing('product');
  const [id] = (await products.idsByName([name])).values();
  const product = id === undefined ? undefined : await products.withParts(id);
  if (product === undefined) throw errors.productAccessDenied(name);
  const entry = { ...productIndexEntry(product.product), takes_bugs: product.product.is_active };
  if (!isOfType(entry, 'enterable', caller)) throw errors.productAccessDenied(name);
  if (product.components.length === 0) throw errors.noComponents(name);
  return product;
}

/** @throws errors.commentTooLong (400, 114), errors.privateNotAllowed (401, 113) */
function readDescription(given: Given, caller: Caller, { settings }: BugServices) {
  const text = normalizeText(given.description ?? given.comment ?? '');
  checkLength(text);
  const isPrivate = given.comment_is_private ?? false;
  if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
  return { text, isPrivate };
}

/**
 * Sets the other ends of the dependencies and of the `see_also` of a new bug.
 *
 * @returns the `see_also` of the new bug
 */
function relate(
  id: number,
  { blocks, depends_on }: NewBug,
  { see_also }: Given,
  drafts: BugDrafts,
  bugIds: ReadonlyMap<string, number>,
  base: string,
): string[] {
  drafts.relate(id, 'blocks', [], blocks);
  drafts.relate(id, 'depends_on', [], depends_on);
  const urls = distinctNames(see_also).map((one) => {
    const named = readSeeAlso(one, base);
    if ('url' in named) return named.url;
    const other = namedBug(bugIds, named.bug);
    if (other === undefined) throw errors.bugUnknown(named.bug);
    const links = new Set(drafts.get(other)?.see_also).add(bugUrl(base, id));
    drafts.change(other, { see_also: [...links] });
    return bugUrl(base, other);
  });
  return [...new Set(urls)];
}

const NOWHERE = { product: '', component: '', classification: '' };

/** The bugs at the other ends: they stay in their products. */
function relatedChanges(drafts: BugDrafts): BugChange[] {
  return drafts
    .drafts()
    .map(({ before, after }) => ({
      before,
      after,
      places: { before: NOWHERE, after: NOWHERE },
      comments: [],
      privacy: [],
    }))
    .filter((change) => fieldChanges(change).length > 0);
}
