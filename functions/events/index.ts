import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { readEventSettings } from '../../lib/events/settings.ts';

readEventSettings(process.env);

export const handler = (_: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  Promise.resolve({ batchItemFailures: [] });
