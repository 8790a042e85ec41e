import { normalizeName, trim } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { AccountRepository } from '../../people/account-repository.ts';
import { type Caller, requireUser } from '../../people/caller.ts';
import type { PreferencesUpdate } from '../../people/preference-requests.ts';
import {
  changePreferences,
  checkPreferences,
  type Preferences,
  readPreferences,
} from '../../people/preferences.ts';
import { isOfType, requireAccessible } from '../../products/permissions.ts';
import { productIndexEntry } from '../../products/schema.ts';
import { retryStale } from '../../table/retry.ts';
import { productOf, type ShownWatches, shownWatches, type WatchServices } from './find-watches.ts';
import { targetName } from './repository.ts';
import { MAX_WATCHED, type Watched, type WatchesItem } from './schema.ts';

/**
 * Finds what a request names: users, and products and components that the caller may access. To watch oneself changes
 * nothing, as in Bugzilla, and is left out.
 *
 * @returns undefined: nothing of these
 */
async function givenWatches(
  services: WatchServices,
  caller: Caller,
  { watched_users, watched_components }: PreferencesUpdate,
) {
  const { id: own } = requireUser(caller);
  checkNumber('users', watched_users);
  checkNumber('products and components', watched_components);
  return {
    users: watched_users && (await givenUsers(services, watched_users, own)),
    places: watched_components && (await givenPlaces(services, caller, watched_components)),
  };
}

async function givenUsers({ users }: WatchServices, given: readonly string[], own: number) {
  const found = await users.byLogins(given.map(trim));
  const ids = given.map((login) => {
    const user = found.get(normalizeName(trim(login)));
    if (user === undefined) throw errors.userUnknown(login);
    return user.id;
  });
  return ids.filter((id) => id !== own).map((id): Watched => ({ kind: 'user', id }));
}

async function givenPlaces(
  { products }: WatchServices,
  caller: Caller,
  given: NonNullable<PreferencesUpdate['watched_components']>,
): Promise<Watched[]> {
  const ids = await products.idsByName(given.map(({ product }) => trim(product)));
  const whole = await products.allWithParts([...new Set(ids.values())]);
  const byName = new Map(whole.map((one) => [normalizeName(one.product.name), one]));
  return given.map(({ product: name, component = '' }): Watched => {
    const found = requireAccessible(byName.get(normalizeName(trim(name))), name, caller);
    const { id: product_id } = found.product;
    if (trim(component) === '') return { kind: 'product', id: product_id };
    const named = normalizeName(trim(component));
    const part = found.components.find((one) => normalizeName(one.name) === named);
    if (part === undefined) throw errors.valueUnknown('component', component);
    return { kind: 'component', id: part.id, product_id };
  });
}

/** Changes what the caller watches. What is not given stays, as does what is not shown to the caller. */
async function changeWatches(
  services: WatchServices,
  caller: Caller,
  { users, places }: Awaited<ReturnType<typeof givenWatches>>,
): Promise<WatchesItem> {
  const { id } = requireUser(caller);
  const { watches } = services;
  if (users === undefined && places === undefined) return watches.of(id);
  return retryStale('what the user watches', async () => {
    const existing = await watches.of(id);
    const people = existing.watched.filter(({ kind }) => kind === 'user');
    const others = existing.watched.filter(({ kind }) => kind !== 'user');
    const hidden = places === undefined ? others : await hiddenPlaces(services, others, caller);
    const watched = [...(users ?? people), ...(places ?? []), ...hidden];
    await watches.write(existing, watched);
    const byName = new Map(watched.map((one) => [targetName(one), one]));
    return { ...existing, watched: [...byName.values()] };
  });
}

/** What is watched in products that the caller may not access now. */
async function hiddenPlaces({ products }: WatchServices, places: readonly Watched[], caller: Caller) {
  const found = await products.products([...new Set(places.map(productOf))]);
  const isHidden = new Set(
    found
      .filter((product) => !isOfType(productIndexEntry(product), 'accessible', caller))
      .map(({ id }) => id),
  );
  return places.filter((one) => isHidden.has(productOf(one)));
}

function checkNumber(what: string, given: readonly unknown[] = []): void {
  if (given.length > MAX_WATCHED) throw errors.requestTooLarge(`at most ${MAX_WATCHED} watched ${what}`);
}

interface PreferenceServices extends WatchServices {
  sessions: { accounts: AccountRepository };
}

/** The preferences of the caller, with what the caller watches. */
export async function preferencesWithWatches(
  services: PreferenceServices,
  caller: Caller,
): Promise<Preferences & ShownWatches> {
  const { id, login } = requireUser(caller);
  const [own, watches] = await Promise.all([
    readPreferences(services.sessions.accounts, login),
    services.watches.of(id),
  ]);
  return { ...own, ...(await shownWatches(services, watches, caller)) };
}

/**
 * Changes the preferences of the caller, and what the caller watches, and returns both. All is checked before something is
 * written; what is watched is written before the rest.
 */
export async function changeAllPreferences(
  services: PreferenceServices,
  caller: Caller,
  update: PreferencesUpdate,
): Promise<Preferences & ShownWatches> {
  const { login } = requireUser(caller);
  const { accounts } = services.sessions;
  const checked = checkPreferences(update);
  const given = await givenWatches(services, caller, update);
  const watches = await changeWatches(services, caller, given);
  const own = await changePreferences(accounts, login, checked);
  return { ...own, ...(await shownWatches(services, watches, caller)) };
}
