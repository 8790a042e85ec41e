import { isIPv6 } from 'node:net';
import { parseParameters } from '../../lib/base/parameters.ts';
import { accountEntry } from '../../lib/changes/mail/account-messages.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { JsonResponse } from '../../lib/http/response/json.ts';
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

/** Groups of 16 bits in an IPv6 address, and those of its network. */
const [GROUPS, NETWORK_GROUPS] = [8, 4];
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What tells source addresses apart: an IPv4 address, or the network of an IPv6 address (/64), of which a user has all
 * addresses.
 */
export function sourceNetwork(address: string): string {
  const ipv4 = MAPPED_IPV4.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!isIPv6(address)) return address;
  // A URL has the address in its canonical form.
  const [start = '', end] = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname
    .slice(1, -1)
    .split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const [first, last] = [groupsOf(start), groupsOf(end ?? '')];
  const zeros = end === undefined ? 0 : GROUPS - first.length - last.length;
  const groups = [...first, ...new Array<string>(zeros).fill('0'), ...last];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
