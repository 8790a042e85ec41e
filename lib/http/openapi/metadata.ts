import * as z from 'zod/mini';

interface SchemaMetadata {
  /** name in `components/schemas` */
  id?: string;
  description?: string;
}

/** Names and descriptions of schemas. Not zod's global registry, which would be part of every bundle. */
export const metadata = z.registry<SchemaMetadata>();

/** Names a schema: the document has it once, in `components/schemas`, and refers to it. */
export function schemaRef<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  metadata.add(schema, { id, description });
  return schema;
}

/** Describes a schema, which must not be used elsewhere. */
export function describe<T extends z.ZodMiniType>(description: string, schema: T): T {
  metadata.add(schema, { description });
  return schema;
}
