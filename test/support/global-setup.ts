import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { startEmbedded } from '../../infra/local/database/embedded.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
    /** that `isTested` writes */
    skippedFile: string;
  }
}

/** Starts the database of all test files; each creates its own tables. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const isEmbedded = project.config.env['TEST_DATABASE'] === 'embedded';
  console.log(`Database: ${isEmbedded ? 'embedded (Dynoxide)' : 'DynamoDB Local'}`);
  // One for all, because its start and its compiler take more time than it has to spare.
  const database = await (isEmbedded
    ? startEmbedded()
    : startDynamoDbLocal(undefined, undefined, { isLongRunning: true })
  ).catch((error: unknown) => {
    // Vitest would say that there are no test files.
    console.error(`The tests need a database. ${error instanceof Error ? error.message : error}`);
    return process.exit(1);
  });
  project.provide('dynamoDbEndpoint', database.endpoint);
  const folder = mkdtempSync(join(tmpdir(), 'bugless-tests-'));
  const skippedFile = join(folder, 'skipped');
  project.provide('skippedFile', skippedFile);
  return async () => {
    await database.stop();
    const skipped = skippedLine(skippedFile);
    rmSync(folder, { recursive: true });
    if (skipped !== undefined) console.log(skipped);
  };
}

/** One line for what was skipped; undefined: nothing was. @param path of the file that `isTested` writes */
function skippedLine(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const skipped: { what: string; packages: string[] }[] = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const whats = new Set(skipped.map(({ what }) => what));
  const packages = new Set(skipped.flatMap((one) => one.packages));
  return `Skipped: tests ${[...whats].join(', ')}. To run them: apt-get install ${[...packages].join(' ')}`;
}
