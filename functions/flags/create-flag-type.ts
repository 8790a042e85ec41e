import { parseParameters } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { createFlagType as create } from '../../lib/products/flag-types/change-flag-types.ts';
import { newFlagType } from '../../lib/products/flag-types/requests.ts';
import type { FlagTypeServices } from './services.ts';

/** Creates a flag type in the products of its inclusions, and responds with its id. functions/administration/README.md 1. */
export const createFlagType: Endpoint<FlagTypeServices> = async (request, services) => {
  const caller = await request.caller;
  const user = await requireEditor(services.products, caller);
  const { target_type = 'bug', ...given } = parseParameters(newFlagType, request.parameters);
  if (target_type !== 'bug' && target_type !== 'attachment') {
    throw errors.parameterInvalid('target_type', "it must be 'bug' or 'attachment'");
  }
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return services.idempotent(request, user, (recordFor) =>
    create(services, timeout, caller, { ...given, target: target_type }, recordFor),
  );
};
