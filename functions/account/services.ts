import * as z from 'zod/mini';
import { eventBus } from '../../lib/changes/events/bus.ts';
import { watchRepository } from '../../lib/changes/watches/repository.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import { signInRepository } from '../../lib/people/sign-in-repository.ts';
import { unsubscribeRepository } from '../../lib/people/unsubscribe.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { optionalSetting, readEnvironment } from '../../lib/settings.ts';

const schema = z.object({
  /** of EventBridge; absent: the deployment sends no mails about accounts */
  EVENT_BUS_NAME: optionalSetting,
  /** URL of EventBridge; AWS by default */
  EVENTS_ENDPOINT: optionalSetting,
  /** where `npm start` keeps mails; absent: Amazon SES sends them */
  MAIL_FOLDER: optionalSetting,
});

/** The services of the account endpoints. */
export function accountServices(environment: Record<string, string | undefined>) {
  const { EVENT_BUS_NAME, EVENTS_ENDPOINT, MAIL_FOLDER } = readEnvironment(schema, environment);
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const isOn = settings.SIGN_IN_BY_MAIL && EVENT_BUS_NAME !== undefined;
  return {
    ...services,
    /** undefined: nothing is mailed */
    bus: isOn ? eventBus(EVENT_BUS_NAME, EVENTS_ENDPOINT) : undefined,
    mailFolder: MAIL_FOLDER,
    unsubscribeSecret: unsubscribeRepository(table),
    savedSearches: savedSearchRepository(table),
    ...{ watches: watchRepository(table), products: productRepository(table, now) },
    idempotent: idempotent(table, now),
    sessions: {
      now,
      ...{ accounts: accountRepository(table), signIns: signInRepository(table) },
      allowsImported: settings.SIGN_IN_IMPORTED,
    },
  };
}
export type AccountServices = ReturnType<typeof accountServices>;
