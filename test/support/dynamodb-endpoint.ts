import { inject } from 'vitest';

/** The endpoint of the database that the tests of this worker use. */
export function dynamoDbEndpoint(): string {
  const endpoints = inject('dynamoDbEndpoints');
  const endpoint = endpoints[Number(process.env['VITEST_POOL_ID'] ?? '0') % endpoints.length];
  if (endpoint === undefined) throw new Error('There is no database');
  return endpoint;
}
