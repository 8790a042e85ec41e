import type * as z from 'zod/mini';
import { type BugChange, fieldChanges } from '../../lib/bugs/changes.ts';
import { BugDrafts, distinctNames } from '../../lib/bugs/drafts.ts';
import type { NewBug } from '../../lib/bugs/repository.ts';
import { EDIT_BUGS, mayConfirm } from '../../lib/bugs/rights.ts';
import { bugUrl, readSeeAlso } from '../../lib/bugs/see-also.ts';
import {
  checkAddedGroup,
  checkAliases,
  checkComponent,
  checkMilestone,
  checkSummary,
  checkText,
  checkValue,
  checkVersion,
  defaultGroups,
  mandatoryGroups,
  parseDeadline,
  parseHours,
} from '../../lib/bugs/validation.ts';
import { type ChoiceField, defaultValue, type LegalValues } from '../../lib/bugs/values.ts';
import { CONFIRMED, INITIAL_STATUSES, STATUSES, UNCONFIRMED } from '../../lib/bugs/workflow.ts';
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
import { type ProductItem, type ProductWithParts, productIndexEntry } from '../../lib/products/schema.ts';
import type { BugServices } from '../../lib/services.ts';
import { normalizeName } from '../../lib/text.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import type { UserItem } from '../../lib/users/schema.ts';
import { baseAddress, readKeywords, readNamedBugs, readUsers } from './change-sources.ts';
import { withRestNames } from './rest-names.ts';
import { IGNORED_OF_NEW_BUG, newBug } from './schemas.ts';

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

/** The bug, and the bugs that it refers to. */
async function computeBug(
  given: Given,
  product: ProductWithParts,
  caller: Caller,
  base: string,
  services: BugServices,
): Promise<{ fields: NewBug; drafts: BugDrafts; bugIds: Map<string, number> }> {
  const listed = (names: string[]) => ({ add: names, remove: [] });
  const naming = {
    assigned_to: given.assigned_to,
    qa_contact: given.qa_contact,
    cc: listed(given.cc),
    keywords: listed(given.keywords),
    blocks: listed(given.blocks),
    depends_on: listed(given.depends_on),
    see_also: listed(given.see_also),
  };
  const component = checkComponent(product, given.component ?? '');
  const summary = checkSummary(given.summary ?? '');
  const version = checkVersion(product, given.version ?? given.default_version ?? '');
  const defaults = [component.default_assigned_to, component.default_qa_contact];
  const drafts = new BugDrafts([]);
  const [users, keywords, legal, bugIds] = await Promise.all([
    readUsers(naming, defaults, services),
    readKeywords(naming, services),
    services.bugSettings.legalValues(),
    readNamedBugs(naming, drafts, caller, services),
  ]);
  const idsOf = (names: string[]) => [
    ...new Set(distinctNames(names).flatMap((name) => bugIds.get(name) ?? [])),
  ];
  const [blocks, dependsOn] = [idsOf(given.blocks), idsOf(given.depends_on)];
  const both = blocks.find((other) => dependsOn.includes(other));
  if (both !== undefined) throw errors.dependencyLoop(both);
  for (const one of distinctNames(given.see_also)) {
    const named = readSeeAlso(one, base);
    if ('bug' in named && !bugIds.has(named.bug)) throw errors.bugUnknown(named.bug);
  }
  const hours = given.estimated_time === undefined ? 0 : parseHours('estimated_time', given.estimated_time);
  const status = readStatus(given, product.product, caller);
  const fields: NewBug = {
    aliases: checkAliases(given.alias),
    product_id: product.product.id,
    component_id: component.id,
    version,
    target_milestone: checkMilestone(product, given.target_milestone ?? product.product.default_milestone),
    summary,
    status,
    resolution: '',
    dupe_of: null,
    is_confirmed: status !== UNCONFIRMED,
    priority: choice(given, 'priority', legal),
    severity: choice(given, 'severity', legal),
    platform: choice(given, 'platform', legal),
    op_sys: choice(given, 'op_sys', legal),
    assigned_to: personOf(given.assigned_to, component.default_assigned_to, users),
    qa_contact: personOf(given.qa_contact, component.default_qa_contact, users),
    cc: distinctNames(given.cc).map((login) => ccLogin(login, users)),
    groups: readGroups(given, product.product, caller),
    keywords: distinctNames(given.keywords).map((name) => {
      const keyword = keywords.get(normalizeName(name));
      if (keyword === undefined) throw errors.valueUnknown('keyword', name);
      return keyword.name;
    }),
    whiteboard: checkText('whiteboard', given.whiteboard ?? ''),
    url: checkText('url', given.url?.trim() ?? ''),
    see_also: [],
    blocks,
    depends_on: dependsOn,
    deadline: parseDeadline(given.deadline ?? ''),
    estimated_time: hours,
    remaining_time: hours,
    is_creator_accessible: given.is_creator_accessible ?? true,
    is_cc_accessible: given.is_cc_accessible ?? true,
  };
  if (Array.isArray(given.flags) && given.flags.length > 0) throw errors.valueUnknown('flag', 'type');
  return { fields, drafts, bugIds };
}

/** @throws errors.parameterMissing (400, 50), errors.valueUnknown (404, 51) */
function choice(given: Given, field: Exclude<ChoiceField, 'resolution'>, legal: LegalValues): string {
  return checkValue(field, legal[field], given[field] ?? defaultValue(legal, field));
}

/**
 * @throws errors.statusNotForNewBugs (400, 123), errors.resolutionNotAllowed (400, 122), errors.parameterInvalid
 * (400, 53) for `dupe_of`, errors.parameterMissing (400, 50), errors.valueUnknown (404, 51)
 */
function readStatus({ status, resolution, dupe_of }: Given, product: ProductItem, caller: Caller): string {
  if (dupe_of !== undefined) throw errors.parameterInvalid('dupe_of', 'a new bug is no duplicate');
  if (resolution?.trim() === '') throw errors.parameterMissing('resolution');
  if (resolution !== undefined) throw errors.resolutionNotAllowed();
  if (status === undefined) return mayConfirm(caller) || !product.has_unconfirmed ? CONFIRMED : UNCONFIRMED;
  const wanted = checkValue('status', STATUSES, status);
  const isBarred = wanted === UNCONFIRMED && !product.has_unconfirmed;
  if (isBarred || !INITIAL_STATUSES.includes(wanted)) throw errors.statusNotForNewBugs(wanted);
  return wanted;
}

/** Blank: the component's. @throws errors.userUnknown (404, 51) */
function personOf(given: string | undefined, fallback: string, users: ReadonlyMap<string, UserItem>): string {
  const login = given?.trim() ?? '';
  if (login === '') return fallback;
  const user = users.get(normalizeName(login));
  if (user === undefined) throw errors.userUnknown(login);
  return user.login;
}

/** @throws errors.ccUnknown (401, 504) */
function ccLogin(given: string, users: ReadonlyMap<string, UserItem>): string {
  const user = users.get(normalizeName(given));
  if (user === undefined) throw errors.ccUnknown(given);
  return user.login;
}

/** Those of the request, or else those that the product proposes; and those that every bug of it has. */
function readGroups({ groups }: Given, product: ProductItem, caller: Caller): string[] {
  if (groups === undefined) return distinctNames(defaultGroups(product, caller));
  const asked = groups.map((name) => checkAddedGroup(product, name, caller));
  return distinctNames([...mandatoryGroups(product), ...asked]);
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
  return distinctNames(see_also).map((one) => {
    const named = readSeeAlso(one, base);
    if ('url' in named) return named.url;
    const other = bugIds.get(named.bug) ?? 0;
    drafts.change(other, { see_also: [...(drafts.get(other)?.see_also ?? []), bugUrl(base, id)] });
    return bugUrl(base, other);
  });
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
