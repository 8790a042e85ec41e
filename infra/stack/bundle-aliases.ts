import { join } from 'node:path';

/** Replacements, in the bundles of the functions, for modules of which they need little. */
export const BUNDLE_ALIASES: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
  'node:http': join(import.meta.dirname, 'node-http.ts'),
  'node:process': join(import.meta.dirname, 'node-process.ts'),
  'node:util': join(import.meta.dirname, 'node-util.ts'),
};
