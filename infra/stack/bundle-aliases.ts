import { join } from 'node:path';

const replacement = (file: string) => join(import.meta.dirname, file);

const credentials = {
  '@aws-sdk/credential-provider-node': replacement('lambda-credentials.ts'),
};

/**
 * Replacements in the bundles of the functions that call other services, too: the clients of EventBridge, SES and SQS need the
 * SDK's own request handler.
 */
export const CALLER_ALIASES: Readonly<Record<string, string>> = credentials;

/** Replacements, in the bundles of the endpoint groups, for modules of which they need little. */
export const BUNDLE_ALIASES: Readonly<Record<string, string>> = {
  ...credentials,
  '@aws-sdk/middleware-endpoint-discovery': replacement('sdk-parts.ts'),
  '@smithy/core/event-streams': replacement('sdk-parts.ts'),
  '@smithy/node-http-handler': replacement('sdk-parts.ts'),
  'node:http': replacement('node-http.ts'),
  'node:process': replacement('node-process.ts'),
  'node:util': replacement('node-util.ts'),
};
