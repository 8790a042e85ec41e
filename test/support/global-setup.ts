import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { startEmbedded } from '../../infra/local/database/embedded.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { testDatabase } from './test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoints: string[];
  }
}

/** One database is busy before the cores of a machine are. */
const DATABASES = 2;

/** Starts databases for all test files; each creates its own tables. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const start = testDatabase() === 'embedded' ? startEmbedded : startDynamoDbLocal;
  const databases = await Promise.all(Array.from({ length: DATABASES }, () => start()));
  project.provide(
    'dynamoDbEndpoints',
    databases.map(({ endpoint }) => endpoint),
  );
  return async () => {
    await Promise.all(databases.map((database) => database.stop()));
  };
}
