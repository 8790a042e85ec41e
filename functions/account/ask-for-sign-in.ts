import { parseParameters } from '../../lib/base/parameters.ts';
import { accountEntry } from '../../lib/changes/mail/account-messages.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { JsonResponse } from '../../lib/http/response/json.ts';
import { sourceNetwork } from '../../lib/http/source-network.ts';
import { signInRequest } from '../../lib/people/account-requests.ts';
import { hashOf } from '../../lib/people/repository.ts';
import type { AccountServices } from './services.ts';

/**
 * Asks for a mail with a code. The account is looked up by the function `mail` later, so that the response, and the time that
 * it takes, are the same for every login. README.md 1
 */
export const askForSignIn: Endpoint<AccountServices> = async (
  { parameters, sourceIp },
  { bus, mailFolder },
) => {
  const { login, challenge, browser } = parseParameters(signInRequest, parameters);
  if (bus === undefined) throw errors.signInUnavailable();
  const asked = { login, challenge, source: sourceNetwork(sourceIp) };
  const known = browser === '' ? {} : { browser: hashOf(browser) };
  await bus.put([accountEntry({ kind: 'sign-in', ...asked, ...known })]);
  // Local mails are no secret of their receivers: pages say where they are.
  return new JsonResponse(202, mailFolder === undefined ? {} : { mail_folder: mailFolder });
};
