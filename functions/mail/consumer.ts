import type { Consumer } from '../../lib/changes/events/consumer.ts';
import { bugSettingsKey, unsubscribeKey } from '../../lib/table/keys.ts';
import { consumerPermissions, PRODUCTS } from '../table-permissions.ts';

/** Reads the queues of changes and of accounts, and mails what they have. */
export const consumer = {
  name: 'mail',
  permissions: consumerPermissions(
    ['BUG#*', ...PRODUCTS, 'USER#*', 'USERID#*', 'WATCHERS#*', bugSettingsKey.pk],
    ['MAIL#*', 'MAILHOUR#*', 'SIGNIN#*', 'SIGNINHOUR#*', unsubscribeKey.pk],
  ),
} as const satisfies Consumer;
