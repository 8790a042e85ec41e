import * as z from 'zod/mini';

interface About {
  /** under which the document has it */
  id?: string;
  description?: string;
}

/** What the document says of schemas beyond what they check. Apart from zod's own registry, which every bundle has. */
export const about = z.registry<About>();

/** `schema`, which the document has by this name wherever it is used. */
export function named<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  about.add(schema, { id, description });
  return schema;
}

/** `schema` with a description. It must be a schema of its own, not one shared with other places. */
export function describe<T extends z.ZodMiniType>(description: string, schema: T): T {
  about.add(schema, { description });
  return schema;
}
