import { Duration, type Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { consumer } from '../../../functions/events/consumer.ts';
import { CHANGED } from '../../../functions/table-permissions.ts';
import { tableDefinition } from '../../../lib/table/table.ts';
import { bundledFunction, type FunctionContext } from '../bundled-function.ts';

const TIMEOUT = Duration.seconds(60);

/** Entries of the change log that say what the change did. */
const LOGGED_CHANGES = FilterCriteria.filter({
  dynamodb: {
    Keys: { [tableDefinition.partitionKey]: { S: FilterRule.beginsWith(CHANGED.replace('*', '')) } },
    NewImage: { events: { S: FilterRule.exists() } },
  },
});

interface StreamReaderProps {
  /** ARN of the table's stream */
  streamArn: string;
  bus: EventBus;
  /** gets records that cannot become events */
  failed: Queue;
  /** whether the function `mail` is told of changes, too */
  mails: boolean;
}

/** The function `events`, which reads the stream of the table and puts events on the bus. */
export function addStreamReader(
  stack: Stack,
  context: FunctionContext,
  { streamArn, bus, failed, mails }: StreamReaderProps,
): LambdaFunction {
  const target = bundledFunction(stack, {
    ...context,
    code: { ...consumer, assets: [] },
    environment: {
      ...context.environment,
      EVENT_BUS_NAME: bus.eventBusName,
      FAILED_EVENTS_QUEUE_URL: failed.queueUrl,
      MAIL: String(mails),
    },
    timeout: TIMEOUT,
    reason: 'Actions of X-Ray and dynamodb:ListStreams do not support resource-level permissions',
  });
  for (const [actions, resource] of [
    [['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn],
    // Lambda refuses an event source mapping without it.
    [['dynamodb:ListStreams'], '*'],
    [['events:PutEvents'], bus.eventBusArn],
    [['sqs:SendMessage'], failed.queueArn],
  ] as const) {
    target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [resource] }));
  }
  new EventSourceMapping(target, 'Stream', {
    target,
    eventSourceArn: streamArn,
    filters: [LOGGED_CHANGES],
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    maxBatchingWindow: Duration.seconds(1),
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    // Retries are not limited by their number: the function itself sets aside what fails for what it is. Two hours before the
    // stream forgets a record, its place goes to the queue.
    maxRecordAge: Duration.hours(22),
    // CDK's SqsDlq would permit more than sending.
    onFailure: { bind: () => ({ destination: failed.queueArn }) },
  });
  return target;
}
