import * as z from 'zod/mini';

/**
 * The schema of an object within an item, which is written as a whole: attributes that another version of Bugless stored in
 * it are kept. Those of the item itself are not read, and stay: see setUpdate in write.ts.
 */
export const extensibleObject = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S> =>
  z.looseObject(shape);
