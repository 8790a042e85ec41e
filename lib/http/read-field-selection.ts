import * as z from 'zod/mini';
import { FieldSelection } from '../base/field-selection.ts';
import { type Parameters, texts } from '../base/parameters.ts';

const fieldNames = z.catch(texts, []);

/**
 * Reads `include_fields` and `exclude_fields`: separated by commas or spaces, and repeatable.
 *
 * @param groups names that stand for several fields
 */
export function readFieldSelection(
  parameters: Parameters,
  groups: Readonly<Record<string, readonly string[]>> = {},
): FieldSelection {
  const listed = (parameter: string) =>
    fieldNames
      .parse(parameters.get(parameter))
      .flatMap((given) => given.split(/[\s,]+/))
      .filter((name) => name !== '');
  const withGroups = (names: readonly string[]) =>
    names.flatMap((name) => (Object.hasOwn(groups, name) ? [name, ...(groups[name] ?? [])] : [name]));
  const [included, excluded] = [listed('include_fields'), listed('exclude_fields')];
  // A field that is included by its name stays, though it belongs to a group that is excluded.
  const isKept = (name: string) => included.includes(name) && !excluded.includes(name);
  return new FieldSelection(
    included.length === 0 ? undefined : withGroups(included),
    withGroups(excluded).filter((name) => !isKept(name)),
  );
}
