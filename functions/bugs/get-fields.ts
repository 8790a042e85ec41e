import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { parseParameters } from '../../lib/base/parameters.ts';
import { isAllDigits, plainId } from '../../lib/base/text.ts';
import { type BugField, isListed } from '../../lib/bugs/fields/field.ts';
import { fieldQuery, valuesQuery } from '../../lib/bugs/requests.ts';
import {
  type FieldSources,
  globalValues,
  isProductField,
  needsProducts,
  presentField,
  productValues,
} from '../../lib/bugs/show/field-presenter.ts';
import type { BugSettings } from '../../lib/bugs/store/settings-repository.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { Caller } from '../../lib/people/caller.ts';
import { isOfType, requireAccessible } from '../../lib/products/permissions.ts';
import type { ProductWithParts } from '../../lib/products/schema.ts';
import type { BugServices } from './services.ts';

/** Returns the fields of bugs that the path, `names` and `ids` name, or all that are not obsolete, with their values. */
export const getFields: Endpoint<BugServices> = async (request, services) => {
  const { names, ids } = parseParameters(fieldQuery, request.parameters);
  const settings = await services.bugSettings.read();
  const known = settings.fields.all.filter(({ id }) => id !== undefined);
  const given = request.named('id_or_name', [...names, ...ids]);
  const requested =
    given.length === 0 ? known.filter(isListed) : [...new Set(given.map((one) => requireField(one, known)))];
  const fields = readFieldSelection(request.parameters);
  const withValues = fields.has('values') || fields.has('visibility_values') ? requested : [];
  const sources = await readSources(withValues, settings, await request.caller, services);
  return ok({ fields: requested.map((field) => fields.pick(presentField(field, sources))) });
};

function requireField(given: string, known: readonly BugField[]): BugField {
  const byId = isAllDigits(given) ? known.find(({ id }) => id === Number(given)) : undefined;
  const field = byId ?? known.find(({ name }) => name === given.toLowerCase());
  if (field === undefined) throw errors.fieldMissing(given);
  return field;
}

/** Reads what the values of these fields take. */
async function readSources(
  requested: readonly BugField[],
  { legal, workflow }: BugSettings,
  caller: Caller,
  { bugSettings, products }: BugServices,
): Promise<FieldSources> {
  const readProducts = async (): Promise<ProductWithParts[]> => {
    const index = (await Array.fromAsync(products.index())).flat();
    const selectable = index.filter((product) => isOfType(product, 'selectable', caller));
    return products.allWithParts(selectable.map(({ id }) => id));
  };
  const [keywords, visible] = await Promise.all([
    requested.some(({ values }) => values === 'keywords') ? bugSettings.keywords() : [],
    requested.some(needsProducts) ? readProducts() : [],
  ]);
  return { legal, workflow, keywords, products: visible };
}

/** Returns the names of the values of a field, in a product where they depend on it. */
export const getFieldValues: Endpoint<BugServices> = async (request, { bugSettings, products }) => {
  const name = request.pathParameter('name');
  const settings = await bugSettings.read();
  const { fields } = settings;
  const field = fields.named(name.toLowerCase()) ?? fields.shownAs(name.toLowerCase());
  if (field === undefined) throw errors.fieldUnknown(name);
  if (!isProductField(field)) {
    const values = globalValues(field, settings);
    if (values === undefined) throw errors.fieldUnknown(name);
    return ok({ values });
  }
  const { product_id } = parseParameters(valuesQuery, request.parameters);
  const given = request.pathParameter('product_id') || product_id;
  if (given === '') throw errors.parameterMissing('product_id');
  const id = plainId(given);
  const [caller, product] = await Promise.all([
    request.caller,
    id === undefined ? undefined : products.withParts(id),
  ]);
  return ok({ values: productValues(field, requireAccessible(product, given, caller)) });
};
