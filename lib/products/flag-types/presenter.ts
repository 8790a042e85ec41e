import { compareCollated } from '../../base/text.ts';
import type { Caller } from '../../people/caller.ts';
import { availableTypes, maySet } from '../flag-types.ts';
import type { ComponentItem, FlagTypeItem } from '../schema.ts';

/**
 * The flag types of a product, or of one of its components, with what the caller may set.
 *
 * @param component its id; undefined: those of all components
 */
export function presentFlagTypes(
  types: readonly FlagTypeItem[],
  components: readonly ComponentItem[],
  component: number | undefined,
  caller: Caller,
): Record<FlagTypeItem['target'], object[]> {
  const names = new Map(components.map(({ id, name }) => [id, name]));
  const of = (target: FlagTypeItem['target']) =>
    (component === undefined
      ? types.filter((type) => type.target === target)
      : availableTypes(types, target, component)
    )
      .toSorted((a, b) => a.sort_key - b.sort_key || compareCollated(a.name, b.name) || a.id - b.id)
      .map((type) => ({
        id: type.id,
        name: type.name,
        description: type.description,
        type: target,
        values: valuesOf(type, caller),
        is_active: type.is_active,
        is_requesteeble: type.is_requesteeble,
        is_multiplicable: type.is_multiplicable,
        ...(type.components === null
          ? {}
          : { inclusions: type.components.flatMap((id) => names.get(id) ?? []) }),
      }));
  return { bug: of('bug'), attachment: of('attachment') };
}

function valuesOf(type: FlagTypeItem, caller: Caller): string[] {
  return [
    'X',
    ...(type.is_requestable && maySet(type, '?', caller) ? ['?'] : []),
    ...(maySet(type, '+', caller) ? ['+', '-'] : []),
  ];
}
