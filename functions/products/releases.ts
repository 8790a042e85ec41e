import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changeRelease, createRelease as create } from '../../lib/products/change-release.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import type { PartSources, ReleaseKind } from '../../lib/products/parts.ts';
import { newRelease, releaseUpdate } from '../../lib/products/requests.ts';
import type { ProductServices } from './services.ts';

type ReleaseServices = PartSources & Pick<ProductServices, 'settings' | 'idempotent'>;

/** Creates a version or a milestone, and responds with its id. functions/administration/README.md 2. */
export const createRelease =
  (kind: ReleaseKind): Endpoint<ReleaseServices> =>
  async (request, services) => {
    const caller = await request.caller;
    const user = await requireEditor(services.products, caller);
    const given = parseKnownParameters(newRelease, request.parameters);
    const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
    return services.idempotent(request, user, (recordFor) =>
      create(services, timeout, caller, kind, given, recordFor),
    );
  };

/** Changes the version or milestone of the path, and responds with it. functions/administration/README.md 2. */
export const updateRelease =
  (kind: ReleaseKind): Endpoint<ReleaseServices> =>
  async (request, services) => {
    const caller = await request.caller;
    await requireEditor(services.products, caller);
    const given = parseKnownParameters(releaseUpdate, request.parameters);
    const path = request.pathParameter('product_and_name');
    const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
    const { id, name, sort_key, is_active } = await changeRelease(
      services,
      timeout,
      caller,
      kind,
      path,
      given,
    );
    return ok({ id, name, sort_key, is_active });
  };
