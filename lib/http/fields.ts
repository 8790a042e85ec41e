import * as z from 'zod/mini';
import { FieldSelection } from '../fields.ts';
import { type Parameters, texts } from './parameters.ts';

const fieldNames = z.catch(texts, []);

/** Reads `include_fields` and `exclude_fields`: separated by commas or spaces, and repeatable. */
export function readFieldSelection(parameters: Parameters): FieldSelection {
  const listed = (parameter: string) =>
    fieldNames
      .parse(parameters.get(parameter))
      .flatMap((given) => given.split(/[\s,]+/))
      .filter((name) => name !== '');
  const included = listed('include_fields');
  return new FieldSelection(included.length === 0 ? undefined : included, listed('exclude_fields'));
}
