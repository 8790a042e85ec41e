import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ListDeadLetterSourceQueuesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

/** The dead-letter queues of a stack, by what they keep. */
export const FAILED_QUEUES = ['events', 'webhooks', 'mail', 'accounts'] as const;
export type FailedQueueName = (typeof FAILED_QUEUES)[number];

/** Visibility timeout of the messages that a command works with. */
const VISIBILITY_SECONDS = 900;
/** SQS asks all of its servers only where it may wait. */
const WAIT_SECONDS = 1;
const BATCH_SIZE = 10;

/** A dead-letter queue. @param url of SQS */
export function failedQueue(url: string) {
  const client = new SQSClient({});
  const QueueUrl = url;
  return {
    /** Its messages, each once, until it is empty or there are `max`. Each is hidden until it is released or deleted. */
    async *messages(max: number): AsyncGenerator<Message> {
      for (let received = 0; received < max; ) {
        const MaxNumberOfMessages = Math.min(BATCH_SIZE, max - received);
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            ...{ QueueUrl, MaxNumberOfMessages },
            ...{ VisibilityTimeout: VISIBILITY_SECONDS, WaitTimeSeconds: WAIT_SECONDS },
            ...{ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['SentTimestamp'] },
          }),
        );
        if (Messages.length === 0) return;
        received += Messages.length;
        yield* Messages;
      }
    },

    /** Lets others receive a message. */
    async release({ ReceiptHandle }: Message): Promise<void> {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    },

    async delete({ ReceiptHandle }: Message): Promise<void> {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    },

    /**
     * Sends a message to the queue whose messages come here. It stays here, too.
     *
     * @throws Error when there is no such queue
     */
    async sendBack({ Body }: Message): Promise<void> {
      const { queueUrls: [source] = [] } = await client.send(
        new ListDeadLetterSourceQueuesCommand({ QueueUrl }),
      );
      if (source === undefined) throw new Error('There is no queue whose messages come here');
      await client.send(new SendMessageCommand({ QueueUrl: source, MessageBody: Body }));
    },
  };
}
