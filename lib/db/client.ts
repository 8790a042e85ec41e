import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { USUAL_PATIENCE } from './retrying.ts';

/** The table as the stores use it. */
export interface Table {
  name: string;
  client: DynamoDBDocumentClient;
  /** for how many milliseconds what fails is tried again */
  patience: number;
}

const MOST_ATTEMPTS = 4;

/**
 * Opens the table. The connection begins with the first call.
 *
 * @param name of the table
 * @param endpoint URL of DynamoDB; absent: AWS
 * @param patience for how many milliseconds what fails is tried again
 */
export function openTable(name: string, endpoint?: string, patience = USUAL_PATIENCE): Table {
  const requestTimeout = patience / MOST_ATTEMPTS;
  const connectionTimeout = Math.min(3_000, requestTimeout);
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: MOST_ATTEMPTS,
    requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true },
  });
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    patience,
  };
}
