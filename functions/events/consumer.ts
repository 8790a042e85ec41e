import type { Consumer } from '../../lib/changes/events/consumer.ts';
import { bugSettingsKey } from '../../lib/table/keys.ts';
import { consumerPermissions, PRODUCTS } from '../table-permissions.ts';

/** Reads the stream of the table, and puts events on the bus. */
export const consumer = {
  name: 'events',
  permissions: consumerPermissions(['BUG#*', ...PRODUCTS, 'USER#*', bugSettingsKey.pk]),
} as const satisfies Consumer;
