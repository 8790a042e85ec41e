import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The table as the stores use it. */
export interface Table {
  name: string;
  client: DynamoDBDocumentClient;
}

/**
 * Opens the table. The connection begins with the first call.
 *
 * @param name of the table
 * @param endpoint URL of DynamoDB; absent: AWS
 */
export function openTable(name: string, endpoint?: string): Table {
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
}
