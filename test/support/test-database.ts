import { hasJava } from '../../infra/local/database/dynamodb-local.ts';
import { embeddedBinary } from '../../infra/local/database/embedded.ts';

export type TestDatabase = 'dynamodb-local' | 'embedded';

const isInstalled: Record<TestDatabase, () => boolean> = {
  'dynamodb-local': hasJava,
  embedded: () => embeddedBinary() !== undefined,
};

/**
 * The database of a run: that of `TEST_DATABASE`, else the preferred one, else the other.
 *
 * @throws Error when `TEST_DATABASE` is invalid, or neither is available
 */
export function databaseOfTests(preferred: TestDatabase): TestDatabase {
  const given = process.env['TEST_DATABASE'];
  if (given === 'embedded' || given === 'dynamodb-local') return given;
  if (given) throw new Error(`TEST_DATABASE=${given}: must be embedded or dynamodb-local`);
  const other = preferred === 'embedded' ? 'dynamodb-local' : 'embedded';
  if (isInstalled[preferred]()) return preferred;
  if (isInstalled[other]()) return other;
  throw new Error('The tests need Java 17 or newer, or the optional package @dynoxide/linux-x64: run npm ci');
}
