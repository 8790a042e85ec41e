import * as z from 'zod/mini';
import { describe } from '../../lib/http/openapi/metadata.ts';
import {
  byName,
  type RegisteredField,
  USER_FIELD_EXAMPLES,
  type UserFieldName,
} from '../../lib/people/user-fields.ts';

/** What responses have of fields of a user, for the interface document. @param textOf absent: nothing is said of it */
export const userFieldShape = <N extends UserFieldName>(
  fields: readonly RegisteredField<N>[],
  textOf: (field: RegisteredField) => string | undefined = () => undefined,
) =>
  byName(fields, (field) => {
    const schema = field.kind === 'text' ? z.string() : z.boolean();
    const text = textOf(field);
    return text === undefined ? schema : describe(text, schema);
  });

/** An example of them. */
export const userFieldExample = <N extends UserFieldName>(fields: readonly RegisteredField<N>[]) =>
  byName(fields, ({ name }) => USER_FIELD_EXAMPLES[name]);
