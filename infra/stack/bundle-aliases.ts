import { join } from 'node:path';

/** What stands in the functions' bundles for packages that they need less of. */
export const BUNDLE_ALIASES: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
};
