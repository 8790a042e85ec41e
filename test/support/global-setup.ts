import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { startEmbedded } from '../../infra/local/database/embedded.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { testDatabase } from './test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/** Starts the database of all test files; each creates its own tables. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  // One for all, because its start and its compiler take more time than it has to spare.
  const database = await (testDatabase() === 'embedded'
    ? startEmbedded()
    : startDynamoDbLocal(undefined, undefined, { isLongRunning: true })
  ).catch((error: unknown) => {
    // Vitest would say that there are no test files.
    console.error(`The tests need a database. ${error instanceof Error ? error.message : error}`);
    return process.exit(1);
  });
  project.provide('dynamoDbEndpoint', database.endpoint);
  return () => database.stop();
}
