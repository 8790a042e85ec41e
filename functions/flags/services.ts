import type { Idempotent } from '../../lib/http/idempotency.ts';
import type { CommonServices } from '../../lib/http/services.ts';
import type { FlagTypeSources } from '../../lib/products/flag-types/change-flag-types.ts';

/** What the endpoints of flag types need of the services of their function, `administration`. */
export type FlagTypeServices = FlagTypeSources &
  Pick<CommonServices, 'settings'> & { idempotent: Idempotent };
