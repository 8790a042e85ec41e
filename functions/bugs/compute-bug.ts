import type * as z from 'zod/mini';
import { BugDrafts, distinctNames, namedBug, sortedNumbers } from '../../lib/bugs/drafts.ts';
import type { NewBug } from '../../lib/bugs/repository.ts';
import { mayConfirm } from '../../lib/bugs/rights.ts';
import { readSeeAlso } from '../../lib/bugs/see-also.ts';
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
import { errors } from '../../lib/errors.ts';
import type { ProductItem, ProductWithParts } from '../../lib/products/schema.ts';
import { normalizeName } from '../../lib/text.ts';
import type { Caller } from '../../lib/users/caller.ts';
import type { UserItem } from '../../lib/users/schema.ts';
import { readKeywords, readNamedBugs, readUsers } from './change-sources.ts';
import type { newBug } from './schemas.ts';
import type { BugServices } from './services.ts';

type Given = z.output<typeof newBug>;

/** The bug, and the bugs that it refers to. */
export async function computeBug(
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
  const idsOf = (names: string[]) =>
    sortedNumbers(distinctNames(names).flatMap((name) => namedBug(bugIds, name) ?? []));
  const [blocks, dependsOn] = [idsOf(given.blocks), idsOf(given.depends_on)];
  const both = blocks.find((other) => dependsOn.includes(other));
  if (both !== undefined) throw errors.dependencyLoop(both);
  for (const one of distinctNames(given.see_also)) {
    const named = readSeeAlso(one, base);
    if ('bug' in named && namedBug(bugIds, named.bug) === undefined) throw errors.bugUnknown(named.bug);
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
  if (dupe_of !== undefined) throw errors.parameterInvalid('dupe_of', 'a new bug cannot be a duplicate');
  if (resolution?.trim() === '') throw errors.parameterMissing('resolution');
  if (resolution !== undefined) throw errors.resolutionNotAllowed();
  if (status === undefined) return mayConfirm(caller) || !product.has_unconfirmed ? CONFIRMED : UNCONFIRMED;
  const initial = checkValue('status', STATUSES, status);
  const isForbidden = initial === UNCONFIRMED && !product.has_unconfirmed;
  if (isForbidden || !INITIAL_STATUSES.includes(initial)) throw errors.statusNotForNewBugs(initial);
  return initial;
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
  const requested = groups.map((name) => checkAddedGroup(product, name, caller));
  return distinctNames([...mandatoryGroups(product), ...requested]);
}
