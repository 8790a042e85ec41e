import * as z from 'zod/mini';
import { extensibleObject } from '../../table/extensible-object.ts';

/** What a user watches: another user, a product with all of its components, or one component. */
const watched = extensibleObject({
  kind: z.enum(['user', 'product', 'component']),
  id: z.int(),
  /** of a component, the id of its product */
  product_id: z.optional(z.int()),
});
export type Watched = z.infer<typeof watched>;

/** What identifies something that is watched. */
export type WatchedTarget = Pick<Watched, 'kind' | 'id'>;

/** What a user watches. */
export const watchesItem = z.object({
  user_id: z.int(),
  watched: z.array(watched),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});
export type WatchesItem = z.infer<typeof watchesItem>;

/** Who watches a user, a product or a component. */
export const watchersItem = z.object({
  ...{ kind: watched.shape.kind, id: z.int() },
  user_ids: z.array(z.int()),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});
export type WatchersItem = z.infer<typeof watchersItem>;

/** Users that one watches; and products with components together. */
export const MAX_WATCHED = 100;
/** Users who watch one user, product or component: an item of at most 14 KB, which each mail about its bugs reads. */
export const MAX_WATCHERS = 2_000;
