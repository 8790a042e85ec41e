import * as z from 'zod/mini';
import { flag, texts } from '../http/parameters.ts';
import { about } from './metadata.ts';

export type JsonObject = Record<string, unknown>;

const converted = z.object({
  properties: z.object({ it: z.record(z.string(), z.unknown()) }),
  $defs: z._default(z.record(z.string(), z.record(z.string(), z.unknown())), {}),
});

/** What is read by a transformation says nothing of what may be sent; these do what their names say. */
const WHAT_IS_SENT = new Map<unknown, JsonObject>([
  [flag, { type: 'boolean' }],
  [texts, { type: 'array', items: { type: 'string' } }],
]);

/** Gathers the named schemas that a document refers to. */
export class Schemas {
  readonly #named = new Map<string, JsonObject>();

  /** `schema` as JSON Schema 2020-12; a named one as a reference to `components`. */
  convert(schema: z.core.$ZodType): JsonObject {
    // A schema stands within another, so that it too becomes a reference.
    const whole = z.toJSONSchema(z.object({ it: schema }), {
      metadata: about,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        Object.assign(jsonSchema, WHAT_IS_SENT.get(zodSchema));
        // Every number that JavaScript can count with is no limit worth telling.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    });
    const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { properties, $defs } = converted.parse(JSON.parse(text));
    for (const [id, { id: _, ...content }] of Object.entries($defs)) this.#named.set(id, content);
    return properties.it;
  }

  /** Those that were referred to, by name. */
  components(): JsonObject {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
