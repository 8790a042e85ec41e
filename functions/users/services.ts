import type { Idempotent } from '../../lib/http/idempotency.ts';
import type { CommonServices } from '../../lib/http/services.ts';
import type { AccountRepository } from '../../lib/people/account-repository.ts';
import type { GroupRepository } from '../../lib/people/group-repository.ts';

/** What the endpoints that change users and groups need of the services of their function, `administration`. */
export interface UserServices extends CommonServices {
  accounts: AccountRepository;
  groups: GroupRepository;
  idempotent: Idempotent;
}
