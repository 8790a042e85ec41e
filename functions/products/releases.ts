import type * as z from 'zod/mini';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changePart, createPart } from '../../lib/products/change-parts.ts';
import { requireEditor, requirePartOfPath } from '../../lib/products/find-parts.ts';
import type { PartKind } from '../../lib/products/parts.ts';
import { newRelease, releaseUpdate } from '../../lib/products/requests.ts';
import type { ReleaseItem } from '../../lib/products/schema.ts';
import { checkReleaseName, checkSortKey } from '../../lib/products/validation.ts';
import type { AdministrationServices } from '../administration/services.ts';

/** Creates a version or a milestone, and responds with its id. functions/administration/README.md 2. */
export const createRelease =
  (kind: PartKind<ReleaseItem>): Endpoint<AdministrationServices> =>
  async (request, services) => {
    const caller = await request.caller;
    const user = await requireEditor(services.products, caller);
    const { product, ...given } = parseKnownParameters(newRelease, request.parameters);
    const check = () => ({ name: checkReleaseName(given.name), ...checked(given) });
    return services.idempotent(request, user, (recordFor) =>
      createPart(services, caller, kind, product, check, recordFor),
    );
  };

/** Changes the version or milestone of the path, and responds with it. functions/administration/README.md 2. */
export const updateRelease =
  (kind: PartKind<ReleaseItem>): Endpoint<AdministrationServices> =>
  async (request, services) => {
    const caller = await request.caller;
    await requireEditor(services.products, caller);
    const given = parseKnownParameters(releaseUpdate, request.parameters);
    const path = request.pathParameter('product_and_name');
    const found = await requirePartOfPath(services.products, path, caller, kind);
    const part = await changePart(services, caller, kind, found, checked(given));
    return ok({ id: part.id, name: part.name, sort_key: part.sort_key, is_active: part.is_active });
  };

const checked = ({ sort_key, is_active }: z.output<typeof releaseUpdate>) => ({
  sort_key: sort_key === undefined ? undefined : checkSortKey(sort_key),
  is_active,
});
