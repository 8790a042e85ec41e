import type { AccountRepository } from '../../people/account-repository.ts';
import { type Caller, requireUser } from '../../people/caller.ts';
import type { PreferencesUpdate } from '../../people/preference-requests.ts';
import {
  changePreferences,
  checkPreferences,
  type Preferences,
  readPreferences,
} from '../../people/preferences.ts';
import { changeWatches, givenWatches } from './change-watches.ts';
import { type ShownWatches, shownWatches, type WatchServices } from './find-watches.ts';

interface PreferenceServices extends WatchServices {
  sessions: { accounts: AccountRepository; retryTimeoutMs: number };
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
  const { accounts, retryTimeoutMs } = services.sessions;
  const checked = checkPreferences(update);
  const given = await givenWatches(services, caller, update);
  const watches = await changeWatches(services, retryTimeoutMs, caller, given);
  const own = await changePreferences(accounts, retryTimeoutMs, login, checked);
  return { ...own, ...(await shownWatches(services, watches, caller)) };
}
