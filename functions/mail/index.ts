import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consumeAccountMessages, isAccountMessage } from '../../lib/changes/mail/consume-account-messages.ts';
import { consumeMessages } from '../../lib/changes/mail/consume-messages.ts';
import { mailServices } from './services.ts';

const services = mailServices(process.env);

/** For a mail that is being sent. */
const RESERVED_MS = 20_000;

/**
 * Mails the changes in a batch of their queue, or what is in one of the queue of accounts. What cannot be sent now stays
 * there. README.md 3
 */
export async function handler({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const isLate = () => context.getRemainingTimeInMillis() < RESERVED_MS;
  const { accounts = [], changes = [] } = Object.groupBy(Records, (record) =>
    isAccountMessage(record) ? 'accounts' : 'changes',
  );
  const consume = async () => [
    ...(await consumeAccountMessages(accounts, isLate, services)),
    ...(await consumeMessages(changes, isLate, services)),
  ];
  const left = await consume().finally(services.log.publish);
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}
