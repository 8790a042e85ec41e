import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { consumeRecords } from '../../lib/changes/events/consume-records.ts';
import { eventServices } from './services.ts';

const services = eventServices(process.env);

/** Puts the events of the changes in a batch of the stream on the bus. Lambda sends the rest of the batch again. README.md 1 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const done = await consumeRecords(Records, services).finally(services.log.publish);
  const failed = Records[done]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] };
}
