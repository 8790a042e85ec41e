import { fieldValuesKey } from '../../lib/dynamodb/keys.ts';
import type { Consumer } from '../../lib/events/consumer.ts';
import { consumerPermissions, PRODUCTS } from '../table-permissions.ts';

/** Reads the queue of changes, and mails them. */
export const consumer = {
  name: 'mail',
  permissions: consumerPermissions(
    ['BUG#*', ...PRODUCTS, 'USER#*', fieldValuesKey.pk],
    ['MAIL#*', 'MAILHOUR#*'],
  ),
} as const satisfies Consumer;
