import type { BugzillaRequest } from './request.ts';

/** The address of this deployment, as the client knows it: `https://bugs.example.org/`. */
export function baseAddress({ headers }: Pick<BugzillaRequest, 'headers'>): string {
  const protocol = headers['x-forwarded-proto'] ?? 'https';
  return `${protocol}://${headers['host'] ?? 'localhost'}/`;
}
