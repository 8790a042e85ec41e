import type { FlagTypeSources } from '../../lib/flags/change-flag-types.ts';
import type { Idempotent } from '../../lib/http/idempotency.ts';
import type { CommonServices } from '../../lib/http/services.ts';

/** What the endpoints of flag types need of the services of their function, `administration`. */
export type FlagTypeServices = FlagTypeSources &
  Pick<CommonServices, 'settings'> & { idempotent: Idempotent };
