import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** The longest that SQS keeps messages. */
const RETENTION = Duration.days(14);

/** A queue that is encrypted by SQS, and takes TLS only. */
export const encryptedQueue = (scope: Construct, id: string, props: QueueProps = {}): Queue =>
  new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: RETENTION,
    ...props,
  });

/** A queue for what could not be delivered. */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  const queue = encryptedQueue(scope, id);
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions::AwsSolutions-SQS3',
    reason: 'It is a dead-letter queue itself',
  });
  return queue;
}

/**
 * Lets rules send to a queue, by one statement: the policy of a queue has 20 at most, so CDK's targets, which add one for
 * each rule, are not used.
 *
 * @param rules ARN of a rule, which may have `*`
 */
export function allowRules(queue: Queue, rules: string): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnLike: { 'aws:SourceArn': rules } },
    }),
  );
}
