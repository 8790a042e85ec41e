import { bugSettingsKey, unsubscribeKey } from '../../lib/dynamodb/keys.ts';
import type { Consumer } from '../../lib/events/consumer.ts';
import { consumerPermissions, PRODUCTS } from '../table-permissions.ts';

/** Reads the queues of changes and of accounts, and mails what they have. */
export const consumer = {
  name: 'mail',
  permissions: consumerPermissions(
    ['BUG#*', ...PRODUCTS, 'USER#*', 'USERID#*', 'WATCHERS#*', bugSettingsKey.pk],
    ['MAIL#*', 'MAILHOUR#*', 'SIGNIN#*', 'SIGNINHOUR#*', unsubscribeKey.pk],
  ),
} as const satisfies Consumer;
