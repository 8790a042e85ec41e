import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consumeMessages } from '../../lib/mail/consume-messages.ts';
import { mailServices } from './services.ts';

const services = mailServices(process.env);

/** For a mail that is being sent. */
const RESERVED_MS = 20_000;

/** Mails the changes in a batch of the queue. What cannot be sent now stays there. README.md 3 */
export async function handler({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const isLate = () => context.getRemainingTimeInMillis() < RESERVED_MS;
  const left = await consumeMessages(Records, isLate, services).finally(services.log.publish);
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}
