import * as z from 'zod/mini';
import { parseParameters, text, withDefault } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { type Endpoint, redirect } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changePreferences } from '../../lib/people/preferences.ts';
import { isUnsubscribeCode } from '../../lib/people/unsubscribe.ts';
import type { AccountServices } from './services.ts';

const linkQuery = z.object({ user: withDefault(text, ''), code: withDefault(text, '') });

const linkOf = ({ parameters }: BugzillaRequest) => parseParameters(linkQuery, parameters);

/** Turns the mails of a user off, as mail programs ask by the link of a mail (RFC 8058). README.md 4 */
export const unsubscribe: Endpoint<AccountServices> = async (request, { sessions, unsubscribeSecret }) => {
  const { user, code } = linkOf(request);
  const id = /^\d{1,10}$/.test(user) ? Number(user) : 0;
  const secret = await unsubscribeSecret.read();
  if (secret === undefined || !isUnsubscribeCode(secret, id, code)) throw errors.unsubscribeCodeWrong();
  const login = await sessions.accounts.loginOf(id);
  if (login === undefined) throw errors.unsubscribeCodeWrong();
  await changePreferences(sessions.accounts, login, { email_enabled: false });
  return ok({});
};

/** Leads a browser to the page that asks first: programs open links of mails, too. README.md 4 */
export const askToUnsubscribe: Endpoint<AccountServices> = async (request) => {
  const { user, code } = linkOf(request);
  const place = encodeURIComponent(`${user}.${code}`);
  return redirect(`../../userprefs.cgi?tab=mail#unsubscribe=${place}`);
};
