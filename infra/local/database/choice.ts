/** Which DynamoDB to use. */
export type DatabaseChoice =
  | { kind: 'embedded' }
  | { kind: 'dynamodb-local' }
  /** a DynamoDB that is running already */
  | { kind: 'url'; url: string };

/**
 * Chooses the database: the option, else `DYNAMODB_ENDPOINT`, else the embedded one where it is installed, else
 * DynamoDB Local.
 *
 * @param option of the command line
 * @param endpoint the environment variable
 */
export function chooseDatabase(
  option: string | undefined,
  endpoint: string | undefined,
  isEmbeddedInstalled: boolean,
): DatabaseChoice {
  if (option === 'embedded' || option === 'dynamodb-local') return { kind: option };
  const url = option ?? endpoint;
  if (url) return { kind: 'url', url };
  return { kind: isEmbeddedInstalled ? 'embedded' : 'dynamodb-local' };
}
