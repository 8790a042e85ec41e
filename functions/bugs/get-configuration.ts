import * as z from 'zod/mini';
import { boolean, optional, parseParameters, text, texts } from '../../lib/base/parameters.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { type BugField, isListed } from '../../lib/bugs/fields/field.ts';
import {
  activeFlagTypes,
  type Configuration,
  configurationJs,
  configurationRdf,
} from '../../lib/bugs/show/configuration.ts';
import { byName } from '../../lib/bugs/show/field-presenter.ts';
import { legalNames } from '../../lib/bugs/values.ts';
import { errors } from '../../lib/errors.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import { baseAddress } from '../../lib/http/request.ts';
import { documentResponse, type Endpoint } from '../../lib/http/response/gateway-response.ts';
import { type Caller, isInGroup } from '../../lib/people/caller.ts';
import { classificationNamed } from '../../lib/products/find-classifications.ts';
import { isOfType } from '../../lib/products/permissions.ts';
import type { ProductWithParts } from '../../lib/products/schema.ts';
import type { BugServices } from './services.ts';

const query = z.object({ ctype: optional(text), product: texts, flags: optional(boolean) });

/** Names in the document: several MB as RDF, and half a second of CPU. */
const MAX_NAMES_OF_PARTS = 10_000;

const FORMATS = {
  js: [configurationJs, 'application/x-javascript; charset=UTF-8'],
  rdf: [configurationRdf, 'application/rdf+xml; charset=UTF-8'],
} as const;

/** Returns statuses, values, products and fields for programs, as 5.2's `config.cgi`. functions/bugs/README.md 5.5 */
export const getConfiguration: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const { ctype, product, flags } = parseParameters(query, request.parameters);
  const format = ctype?.toLowerCase() ?? 'js';
  if (format !== 'js' && format !== 'rdf') throw errors.formatUnknown(format);
  const caller = await request.caller;
  const isClosed = services.settings.REQUIRE_LOGIN && caller.user === undefined;
  const [write, contentType] = FORMATS[format];
  const configuration = isClosed
    ? NOTHING
    : await readConfiguration({ caller, names: product, hasFlags: flags !== false }, services);
  requireSmall(configuration);
  const base = baseAddress(request);
  const document = write(configuration, { base, maintainer: services.settings.MAINTAINER });
  return documentResponse(request, document, { 'content-type': contentType });
};

/** @throws BugzillaError where the document would be too large for a response */
function requireSmall({ products, hasFlags }: Configuration): void {
  const count = products.reduce((sum, product) => {
    const { components, versions, milestones } = product;
    const flags = hasFlags ? components.flatMap(({ id }) => activeFlagTypes(product, id)).length : 0;
    return sum + components.length + versions.length + milestones.length + flags;
  }, 0);
  if (count <= MAX_NAMES_OF_PARTS) return;
  throw errors.requestTooLarge(
    `at most ${MAX_NAMES_OF_PARTS} components, versions, milestones and flags of components; name products by 'product', or leave flags out by 'flags=0'`,
  );
}

/** What callers see where the deployment requires a login, as in Bugzilla. */
const NOTHING: Configuration = {
  ...{ statuses: [], values: () => [], keywords: [], classifications: [], products: [], fields: [] },
  hasFlags: false,
};

async function readConfiguration(
  { caller, names, hasFlags }: { caller: Caller; names: readonly string[]; hasFlags: boolean },
  services: BugServices,
): Promise<Configuration> {
  const [{ legal, workflow, fields }, keywords, products] = await Promise.all([
    services.bugSettings.read(),
    services.bugSettings.keywords(),
    selectableProducts(names, caller, services),
  ]);
  const isTimeTracker = isInGroup(caller, services.settings.TIMETRACKING_GROUP);
  const isShown = ({ visibleTo }: BugField) => visibleTo !== 'timetrackers' || isTimeTracker;
  const listed = fields.all.filter((field) => isListed(field) && isShown(field));
  const custom = listed.filter((field) => field.custom !== undefined);
  const classifications = [...new Set(products.map(({ product }) => product.classification))];
  return {
    statuses: workflow.statuses,
    values: (field) => legalNames(field, legal),
    keywords: keywords.toSorted(byName),
    classifications: (
      await Promise.all(classifications.map((name) => classificationNamed(services.products, name)))
    )
      .filter((one) => one !== undefined)
      .sort(byName),
    products: products.map((all) => ({
      ...all,
      components: all.components.toSorted(byName),
      versions: all.versions.toSorted(byId),
      milestones: all.milestones.toSorted((a, b) => a.sort_key - b.sort_key || byName(a, b)),
    })),
    fields: [...custom, ...listed.filter((field) => field.custom === undefined).sort(byId)],
    hasFlags,
  };
}

const byId = (a: { id?: number | undefined }, b: { id?: number | undefined }): number =>
  (a.id ?? 0) - (b.id ?? 0);

/** The products that the caller selects, by name; of those that are named where some are. */
async function selectableProducts(
  names: readonly string[],
  caller: Caller,
  { products }: BugServices,
): Promise<ProductWithParts[]> {
  const wanted = new Set(names.filter(Boolean).map(normalizeName));
  const index = (await Array.fromAsync(products.index())).flat();
  const selected = index.filter(
    (one) =>
      isOfType(one, 'selectable', caller) && (wanted.size === 0 || wanted.has(normalizeName(one.name))),
  );
  const all = await products.allWithParts(selected.map(({ id }) => id));
  return all.sort((a, b) => byName(a.product, b.product));
}
