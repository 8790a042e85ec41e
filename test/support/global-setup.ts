import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/** One DynamoDB Local for all test files; each makes tables of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const database = await startDynamoDbLocal();
  project.provide('dynamoDbEndpoint', database.endpoint);
  return () => database.stop();
}
