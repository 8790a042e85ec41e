import { checkAlias, checkSummary, groupsOfNewBug } from '../../lib/bugs/validation.ts';
import { checkLength, normalizeText } from '../../lib/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import type { RecordFor } from '../../lib/idempotency/repository.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { isOfType } from '../../lib/products/permissions.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import { type ProductWithParts, productIndexEntry } from '../../lib/products/schema.ts';
import type { CommentServices } from '../../lib/services.ts';
import { normalizeName } from '../../lib/text.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import type { UserRepository } from '../../lib/users/repository.ts';
import { newBug } from './schemas.ts';

/** What one transaction and one item can hold. */
const MAX_NAMES = 90;

/**
 * Makes a bug with its description, the comment 0, in a product that the caller may enter bugs against; it
 * gets the groups that the product demands. Answers its id.
 *
 * @throws errors of 106 for the product, 105 for the component, 50 and 51 for the version, 107 for the summary,
 * 103 for an alias, 504 for people, 114 and 113 for the description
 */
export const createBug: Endpoint<CommentServices> = async (request, services) => {
  const caller = await request.caller;
  return services.idempotent(request, requireUser(caller), (recordFor) =>
    create(request.parameters, caller, services, recordFor),
  );
};

async function create(
  parameters: Parameters,
  caller: Caller,
  { bugs, products, settings, users }: CommentServices,
  recordFor: RecordFor,
): Promise<number> {
  const user = requireUser(caller);
  const given = parseParameters(newBug, parameters);
  const parts = await enterable(products, given.product ?? '', caller);
  const component = parts.components.find(({ name }) => name === given.component?.trim());
  if (component === undefined || !component.is_active) throw errors.componentUnknown(given.component ?? '');
  const version = versionOf(parts, given.version);
  const summary = checkSummary(given.summary ?? '');
  const aliases = named(given.alias.map((alias) => alias.trim()));
  for (const alias of aliases) checkAlias(alias);
  if (aliases.length + given.cc.length > MAX_NAMES) {
    throw errors.requestTooLarge(`at most ${MAX_NAMES} aliases and people`);
  }
  const text = normalizeText(given.description ?? '');
  checkLength(text);
  const isPrivate = given.comment_is_private ?? false;
  if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
  const { product } = parts;
  const [assignedTo, qaContact, ...cc] = await mapConcurrent(
    [
      given.assigned_to ?? component.default_assigned_to,
      given.qa_contact ?? component.default_qa_contact,
      ...given.cc,
    ],
    (person) => loginOf(users, person),
  );
  return bugs.create(
    user,
    {
      aliases,
      product_id: product.id,
      component_id: component.id,
      version,
      summary,
      status: isInGroup(caller, 'canconfirm') || !product.has_unconfirmed ? 'CONFIRMED' : 'UNCONFIRMED',
      assigned_to: assignedTo ?? '',
      qa_contact: qaContact ?? '',
      cc: named(cc),
      groups: groupsOfNewBug(product),
    },
    { text, isPrivate },
    recordFor,
  );
}

/** Names without blank ones, each once however often it was given, in whatever case. */
function named(given: string[]): string[] {
  const names = new Map<string, string>();
  for (const name of given)
    if (name !== '' && !names.has(normalizeName(name))) names.set(normalizeName(name), name);
  return [...names.values()];
}

/** @throws errors.productAccessDenied (401, 106) when there is none, or none to enter bugs against */
async function enterable(
  products: ProductRepository,
  name: string,
  caller: Caller,
): Promise<ProductWithParts> {
  const [id] = (await products.idsByName([name.trim()])).values();
  const all = { components: true, milestones: false, versions: true };
  const parts = id === undefined ? undefined : await products.withParts(id, all);
  if (parts === undefined || !isOfType(productIndexEntry(parts.product), 'enterable', caller)) {
    throw errors.productAccessDenied(name);
  }
  return parts;
}

/** @throws errors.parameterMissing (400, 50), errors.versionUnknown (404, 51) */
function versionOf({ product, versions }: ProductWithParts, given = ''): string {
  const name = given.trim();
  if (name === '') throw errors.parameterMissing('version');
  const version = versions.find((one) => one.name === name && one.is_active);
  if (version === undefined) throw errors.versionUnknown(product.name, name);
  return version.name;
}

/** The login of a person, in its own spelling; nobody: nobody. */
async function loginOf(users: UserRepository, given: string): Promise<string> {
  if (given.trim() === '') return '';
  const user = await users.byLogin(given.trim());
  if (user === undefined) throw errors.personUnknown(given);
  return user.login;
}
