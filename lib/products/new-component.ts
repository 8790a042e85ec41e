import type * as z from 'zod/mini';
import { retryStale } from '../dynamodb/retry.ts';
import { errors } from '../errors.ts';
import type { RecordFor } from '../idempotency/repository.ts';
import { limitedText } from '../limited-text.ts';
import { checkName, MAX_NAME_LENGTH } from '../names.ts';
import { normalizeName, trim } from '../text.ts';
import type { Caller } from '../users/caller.ts';
import { requireUser } from '../users/permissions.ts';
import type { UserRepository } from '../users/repository.ts';
import { desiredOf, type ProductDocumentRepository } from './document-repository.ts';
import { requireAccessible } from './permissions.ts';
import type { ProductRepository } from './repository.ts';
import type { newComponent } from './requests.ts';
import type { ComponentItem } from './schema.ts';

/** A component as it is requested. */
type GivenComponent = Omit<z.infer<typeof newComponent>, 'is_open' | 'isactive'> & { is_open: boolean };

/** The parts of a product are read and written together. */
const MAX_COMPONENTS = 5_000;
const MAX_DESCRIPTION_LENGTH = 20_000;
const MAX_CC = 100;

/** Where components are written, and what they refer to. */
export interface ComponentSources {
  products: ProductRepository;
  productDocuments: ProductDocumentRepository;
  users: Pick<UserRepository, 'byLogins'>;
}

/**
 * Creates a component of a product.
 *
 * @param awaitedCaller may edit components; the product is looked up meanwhile
 * @returns the id
 */
export async function createComponent(
  sources: ComponentSources,
  retryTimeoutMs: number,
  awaitedCaller: Promise<Caller>,
  given: GivenComponent,
  recordFor: RecordFor,
): Promise<number> {
  const { products, productDocuments } = sources;
  const productName = trim(given.product);
  if (productName === '') throw errors.parameterMissing('product');
  const [ids, caller] = await Promise.all([products.idsByName([productName]), awaitedCaller]);
  const productId = ids.get(normalizeName(productName)) ?? 0;
  const readProduct = async () => requireAccessible(await products.withParts(productId), productName, caller);
  // The error of the product comes first.
  const [product, checked] = await Promise.allSettled([readProduct(), checkComponent(sources, given)]);
  const [first, component] = [settled(product), settled(checked)];
  const id = await productDocuments.allocateComponentId();
  return retryStale(retryTimeoutMs, 'the product', async (attempt) => {
    const existing = attempt === 1 ? first : await readProduct();
    if (existing.components.some(({ name }) => normalizeName(name) === normalizeName(component.name))) {
      throw errors.componentTaken(component.name);
    }
    if (existing.components.length >= MAX_COMPONENTS) {
      throw errors.requestTooLarge(`at most ${MAX_COMPONENTS} components of a product`);
    }
    const { product, ...parts } = desiredOf(existing);
    const desired = {
      ...parts,
      product: { ...product, has_active_component: product.has_active_component || component.is_active },
      components: [...parts.components, { id, ...component }],
    };
    const audit = { who: requireUser(caller).login, command: 'rest add component' };
    await productDocuments.saveTogether([{ existing, desired }], { record: recordFor(id), audit });
    return id;
  });
}

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Checks a component in Bugzilla's order; logins get their stored spelling. */
async function checkComponent(
  { users }: ComponentSources,
  given: GivenComponent,
): Promise<Omit<ComponentItem, 'id'>> {
  if (trim(given.description) === '') throw errors.componentDescriptionMissing();
  const description = limitedText('description', given.description, MAX_DESCRIPTION_LENGTH);
  const assignee = trim(given.default_assignee);
  if (assignee === '') throw errors.componentAssigneeMissing();
  const qaContact = trim(given.default_qa_contact);
  const cc = given.default_cc.map(trim).filter((login) => login !== '');
  if (cc.length > MAX_CC) throw errors.requestTooLarge(`at most ${MAX_CC} users on the default CC`);
  const known = await users.byLogins([assignee, qaContact, ...cc]);
  const spelled = (login: string, unknown = errors.userUnknown): string => {
    const user = known.get(normalizeName(login));
    if (user === undefined) throw unknown(login);
    return user.login;
  };
  const default_cc = cc.map((login) => spelled(login, errors.ccUnknown));
  return {
    description,
    default_assigned_to: spelled(assignee),
    default_qa_contact: qaContact === '' ? '' : spelled(qaContact),
    ...(default_cc.length === 0 ? {} : { default_cc: [...new Set(default_cc)] }),
    name: checkName('name', given.name, MAX_NAME_LENGTH, {
      blank: errors.componentNameMissing,
      tooLong: () => errors.componentNameTooLong(MAX_NAME_LENGTH),
    }),
    sort_key: 0,
    is_active: given.is_open,
  };
}
