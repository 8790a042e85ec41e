import * as z from 'zod/mini';
import { boolean, texts } from '../../base/parameters.ts';
import { metadata } from './documentation.ts';

export type JsonObject = Record<string, unknown>;

const jsonSchema = z.object({
  properties: z.object({ it: z.record(z.string(), z.unknown()) }),
  $defs: z._default(z.record(z.string(), z.record(z.string(), z.unknown())), {}),
});

/** Input schemas of transformations, which `toJSONSchema` cannot derive. */
const INPUT_SCHEMAS = new Map<unknown, JsonObject>([
  [boolean, { type: 'boolean' }],
  [texts, { type: 'array', items: { type: 'string' } }],
]);

/** Drops properties from `required` whose transformation accepts what is absent, such as the lists of `texts`. */
function omitOptional({ shape }: z.ZodMiniObject, converted: z.core.JSONSchema.BaseSchema): void {
  const required = converted.required?.filter((name) => {
    const schema = shape[name];
    return !(schema instanceof z.ZodMiniPipe && z.safeParse(schema, undefined).success);
  });
  if (required?.length === 0) delete converted.required;
  else if (required !== undefined) converted.required = required;
}

/** Collects the named schemas that a document refers to. */
export class Schemas {
  readonly #named = new Map<string, JsonObject>();

  /** Converts a schema to JSON Schema 2020-12; a named one to a reference to `components`. */
  convert(schema: z.core.$ZodType): JsonObject {
    // Only nested schemas become references.
    const converted = z.toJSONSchema(z.object({ it: schema }), {
      metadata: metadata,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        Object.assign(jsonSchema, INPUT_SCHEMAS.get(zodSchema));
        if (zodSchema instanceof z.ZodMiniObject) omitOptional(zodSchema, jsonSchema);
        // The limits of safe integers, which zod adds, do not help clients.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    });
    const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { properties, $defs } = jsonSchema.parse(JSON.parse(text));
    for (const [id, { id: _, ...content }] of Object.entries($defs)) this.#named.set(id, content);
    return properties.it;
  }

  /** The collected schemas by name. */
  components(): JsonObject {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
