import { errors } from '../errors.ts';
import type { BugzillaRequest } from './request.ts';

/** The address of this deployment, as the client knows it: `https://bugs.example.org/`. @throws BugzillaError 400 for an invalid header `Host` */
export function baseAddress({ headers }: Pick<BugzillaRequest, 'headers'>): string {
  const protocol = headers['x-forwarded-proto'] ?? 'https';
  const { host = 'localhost' } = headers;
  const url = URL.parse(`${protocol}://${host}/`);
  // With more than a host and a port, the origin is not all of it.
  if (url === null || url.href !== `${url.origin}/`) throw errors.hostInvalid(host);
  return `${protocol}://${host}/`;
}
