import type { Endpoint } from '../../lib/http/handler.ts';
import { ok } from '../../lib/http/response/json-response.ts';
import type { InfoServices } from '../../lib/services.ts';
import { timestamp } from '../../lib/time.ts';
import { VERSION } from '../../lib/version.ts';

/** The version of Bugzilla whose interface this is, for clients that ask, and our own. REFERENCE.md 7. */
export const version: Endpoint<InfoServices> = async () => ok({ version: '5.2', bugless: VERSION });

/** Bugless has no extensions. REFERENCE.md 7. */
export const extensions: Endpoint<InfoServices> = async (request) => {
  await request.caller;
  return ok({ extensions: {} });
};

/** The service's own time, which is UTC. REFERENCE.md 7. */
export const time: Endpoint<InfoServices> = async (request, { now }) => {
  await request.caller;
  const current = timestamp(now());
  return ok({
    db_time: current,
    web_time: current,
    web_time_utc: current,
    tz_name: 'UTC',
    tz_short_name: 'UTC',
    tz_offset: '+0000',
  });
};

/** REFERENCE.md 7. */
export const timezone: Endpoint<InfoServices> = async (request) => {
  await request.caller;
  return ok({ timezone: '+0000' });
};

/** What clients may want to know of the settings, all of it text. REFERENCE.md 7. */
export const parameters: Endpoint<InfoServices> = async (request, { settings }) => {
  await request.caller;
  return ok({ parameters: { maintainer: '', requirelogin: settings.REQUIRE_LOGIN ? '1' : '0' } });
};
