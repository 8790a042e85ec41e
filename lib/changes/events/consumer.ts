import type { TablePermission } from '../../table/table.ts';

/** A function that consumes a stream or a queue. */
export interface Consumer {
  name: 'events' | 'mail';
  /** everything that the function may do with the table */
  permissions: readonly TablePermission[];
}
