import { mapConcurrent } from '../../../lib/map-concurrent.ts';
import { normalizeName } from '../../../lib/text.ts';
import { accountRepository } from '../../../lib/users/account-repository.ts';
import { IMPORTED } from '../../../lib/users/schema.ts';
import type { WithSettings } from './settings.ts';
import type { SourceBug, SourceUser } from './source-schema.ts';

export type SourceUsers = ReturnType<typeof sourceUsers>;

/**
 * Collects the users that bugs name, beside their login with their id and real name. Those that the table has stay as they
 * are; others are added without groups, and are disabled until they get an API key.
 */
export function sourceUsers({ table, settings }: WithSettings, hasKey: boolean) {
  const found = new Map<string, SourceUser>();
  return {
    /** Bugzilla shows logins without their domain to those who have not logged in. */
    collect(bug: SourceBug): void {
      if (!hasKey) return;
      const { assigned_to_detail, creator_detail, qa_contact_detail, cc_detail = [] } = bug;
      for (const user of [assigned_to_detail, creator_detail, qa_contact_detail, ...cc_detail]) {
        if (user !== undefined && user.name !== '') found.set(normalizeName(user.name), user);
      }
    },

    /** Adds the users that the table does not have to the settings. */
    async add(): Promise<void> {
      const accounts = accountRepository(table);
      await mapConcurrent([...found.values()], async ({ id, name, real_name }) => {
        if ((await accounts.read(name)) !== undefined) return;
        settings.users.push({ id, login: name, real_name, disabled: IMPORTED });
      });
    },
  };
}
