import * as z from 'zod/mini';

interface About {
  /** name in `components/schemas` */
  id?: string;
  description?: string;
}

/** Names and descriptions of schemas. Not zod's own registry, which is part of every bundle. */
export const about = z.registry<About>();

/** Gives a schema a name, under which the document refers to it. */
export function named<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  about.add(schema, { id, description });
  return schema;
}

/** Gives a schema a description. The schema must not be used elsewhere. */
export function describe<T extends z.ZodMiniType>(description: string, schema: T): T {
  about.add(schema, { description });
  return schema;
}
