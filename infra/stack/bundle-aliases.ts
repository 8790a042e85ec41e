import { join } from 'node:path';

/** Replacements, in the bundles of the functions, for packages of which they need little. */
export const BUNDLE_ALIASES: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
};
