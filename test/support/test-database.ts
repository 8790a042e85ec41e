import { hasJava } from '../../infra/local/database/dynamodb-local.ts';
import { embeddedBinary } from '../../infra/local/database/embedded.ts';

export type TestDatabase = 'dynamodb-local' | 'embedded';

/**
 * The database of the tests: that of `TEST_DATABASE`, by default DynamoDB Local, or the embedded one without Java.
 *
 * @throws Error when `TEST_DATABASE` is invalid, or neither is available
 */
export function testDatabase(): TestDatabase {
  const given = process.env['TEST_DATABASE'];
  if (given === 'embedded' || given === 'dynamodb-local') return given;
  if (given) throw new Error(`TEST_DATABASE=${given}: must be embedded or dynamodb-local`);
  if (hasJava()) return 'dynamodb-local';
  if (embeddedBinary() !== undefined) return 'embedded';
  throw new Error('The tests need Java 17 or newer, or the optional package @dynoxide/linux-x64: run npm ci');
}
