import { isIPv6 } from 'node:net';

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
