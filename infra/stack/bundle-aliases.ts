import { join } from 'node:path';

const replacement = (file: string) => join(import.meta.dirname, file);

/** Replacements, in the bundles of the functions, for modules of which they need little. */
export const BUNDLE_ALIASES: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': replacement('lambda-credentials.ts'),
  '@aws-sdk/middleware-endpoint-discovery': replacement('sdk-parts.ts'),
  '@smithy/core/event-streams': replacement('sdk-parts.ts'),
  '@smithy/node-http-handler': replacement('sdk-parts.ts'),
  '@smithy/signature-v4': replacement('sdk-parts.ts'),
  'node:http': replacement('node-http.ts'),
  'node:process': replacement('node-process.ts'),
  'node:util': replacement('node-util.ts'),
};
