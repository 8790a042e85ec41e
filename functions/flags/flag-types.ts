import { parseParameters } from '../../lib/base/parameters.ts';
import { compareCollated, normalizeName, trim } from '../../lib/base/text.ts';
import { errors } from '../../lib/errors.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Caller } from '../../lib/people/caller.ts';
import { MAX_SLASHES, requireEditor } from '../../lib/products/find-parts.ts';
import {
  changeFlagTypes,
  createFlagType as create,
} from '../../lib/products/flag-types/change-flag-types.ts';
import { flagTypeQuery, flagTypeUpdate, newFlagType } from '../../lib/products/flag-types/requests.ts';
import { isOfType, requireAccessible } from '../../lib/products/permissions.ts';
import {
  availableTypes,
  type ComponentItem,
  type FlagTypeItem,
  maySet,
  productIndexEntry,
} from '../../lib/products/schema.ts';
import type { AdministrationServices } from '../administration/services.ts';
import { namedBy } from '../named.ts';

/** Responds with the flag types of a product, or of one of its components. functions/administration/README.md 1. */
export const getFlagTypes: Endpoint<AdministrationServices> = async (request, { products }) => {
  const query = parseParameters(flagTypeQuery, request.parameters);
  const segments = request.pathParameter('id_or_name').split('/');
  const unknownRoute = () => errors.routeUnknown(request.method, request.path);
  if (segments.length > MAX_SLASHES) throw unknownRoute();
  // API Gateway decodes the path, so a slash may belong to the name of the product, or come before the component.
  const splits = segments.map((_, index) => ({
    name: trim(segments.slice(0, segments.length - index).join('/')),
    component: index === 0 ? undefined : segments.slice(segments.length - index).join('/'),
  }));
  const ids = await products.idsByName(splits.map(({ name }) => name));
  const [caller, stored] = await Promise.all([request.caller, products.allWithParts([...ids.values()])]);
  // A hidden product is as one that does not exist.
  const accessible = stored.filter(({ product }) =>
    isOfType(productIndexEntry(product), 'accessible', caller),
  );
  const byName = new Map(accessible.map((one) => [normalizeName(one.product.name), one]));
  const split = splits.find(({ name }) => byName.has(normalizeName(name)));
  if (split === undefined && segments.length > 2) throw unknownRoute();
  const { name, component = query.component } = split ?? { name: segments[0] ?? '' };
  const found = requireAccessible(byName.get(normalizeName(name)), name, caller);
  const wanted = component === undefined ? undefined : normalizeName(trim(component));
  const known = found.components.find((one) => normalizeName(one.name) === wanted);
  if (component !== undefined && known === undefined) {
    throw component.includes('/') ? unknownRoute() : errors.valueUnknown('component', component);
  }
  return ok(presentFlagTypes(found.flagTypes, found.components, known?.id, caller));
};

/** Creates a flag type in the products of its inclusions, and responds with its id. functions/administration/README.md 1. */
export const createFlagType: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  const user = await requireEditor(services.products, caller);
  const { target_type = 'bug', ...given } = parseParameters(newFlagType, request.parameters);
  if (target_type !== 'bug' && target_type !== 'attachment') {
    throw errors.parameterInvalid('target_type', "it must be 'bug' or 'attachment'");
  }
  return services.idempotent(request, user, (recordFor) =>
    create(services, caller, { ...given, target: target_type }, recordFor),
  );
};

/**
 * Changes the flag types of the path, `ids` and `names`; responds with the changes of each.
 * functions/administration/README.md 1.
 */
export const updateFlagTypes: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  await requireEditor(services.products, caller);
  const { ids, names, ...given } = parseKnownParameters(flagTypeUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  return ok({ flagtypes: await changeFlagTypes(services, caller, named, given) });
};

/**
 * The flag types of a product, or of one of its components, with what the caller may set.
 *
 * @param component its id; undefined: those of all components
 */
function presentFlagTypes(
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
