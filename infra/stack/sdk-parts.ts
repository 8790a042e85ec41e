/**
 * Replaces, in the bundles, parts of the SDK that its client imports and never runs: the request handler,
 * whose slot lib/table/document-client.ts fills; the discovery of endpoints, which is off; event streams, which DynamoDB does not
 * have. 38 KB of each bundle.
 */

/** Of `@smithy/node-http-handler`: the client asks it to take the handler that it is given. */
export const NodeHttpHandler = { create: <T>(handler: T): T => handler };

const unused = () => {
  throw new Error('This part of the SDK is not bundled');
};

export const streamCollector = unused;

/** Of `@aws-sdk/middleware-endpoint-discovery`. */
export const resolveEndpointDiscoveryConfig = <T>(config: T): T => config;
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};

/** Of `@smithy/core/event-streams`. */
export const EventStreamSerde = unused;
export const eventStreamSerdeProvider = unused;
