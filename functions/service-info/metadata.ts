import { bit } from '../../lib/base/collections.ts';
import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { timestamp } from '../../lib/base/time.ts';
import { defaultChoices } from '../../lib/bugs/change/new-bug.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { VERSION } from '../../lib/version.ts';
import type { InfoServices } from './services.ts';

/** The version of Bugzilla that the interface is compatible with, which clients check, and that of Bugless. */
export const version: Endpoint<InfoServices> = async () => ok({ version: '5.2', bugless: VERSION });

/** Bugless, which clients may tell from Bugzilla by it, with its version. */
export const extensions: Endpoint<InfoServices> = async () =>
  ok({ extensions: { Bugless: { version: VERSION } } });

/** The current time, in UTC. */
export const time: Endpoint<InfoServices> = async (_, { now }) => {
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

/** The timezone of all times. */
export const timezone: Endpoint<InfoServices> = async () => ok({ timezone: '+0000' });

const hasSignIn = ({ SIGN_IN_BY_MAIL, LEFT_OUT_GROUPS }: InfoServices['settings']): boolean =>
  SIGN_IN_BY_MAIL && !LEFT_OUT_GROUPS.includes('account');

/** Settings that are relevant to clients, as strings; anonymous callers see the first ones. */
export const parameters: Endpoint<InfoServices> = async (request, { settings, bugSettings }) => {
  const shown = {
    maintainer: settings.MAINTAINER,
    requirelogin: bit(settings.REQUIRE_LOGIN),
    // Only where it is: to others, the parameters are Bugzilla's.
    ...(hasSignIn(settings) ? { sign_in_by_mail: '1' } : {}),
  };
  const { user } = await request.caller;
  const selection = readFieldSelection(request.parameters);
  if (user === undefined) return ok({ parameters: selection.pick(shown) });
  const { fields, legal } = await bugSettings.read();
  const { priority, severity } = defaultChoices(fields, legal);
  const all = {
    ...shown,
    allowemailchange: '0',
    defaultpriority: priority,
    defaultseverity: severity,
    duplicate_or_move_bug_status: settings.DUPLICATE_OR_MOVE_BUG_STATUS,
    maxattachmentsize: String(Math.floor(settings.MAX_ATTACHMENT_BYTES / 1_000)),
    useclassification: '1',
    useqacontact: '1',
    usestatuswhiteboard: '1',
    usetargetmilestone: '1',
  };
  return ok({ parameters: selection.pick(all) });
};
