import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { AlarmName, AlarmThresholds } from './alarm-thresholds.ts';
import { serviceMetric } from './dashboard.ts';
import type { DeployedTable } from './table.ts';

interface AlarmsProps {
  api: HttpApi;
  accessLog: ILogGroup;
  /** the log groups of all functions, each with the name of its function */
  logs: readonly FunctionLog[];
  table: DeployedTable;
  /** the `service` dimension of the functions' metrics */
  service: string;
  /** notified of every alarm, and when it is over */
  actions: readonly IAlarmAction[];
  /** of what not every deployment has */
  others: readonly AlarmDefinition[];
  /** whether silence is an alarm */
  expectsTraffic: boolean;
  thresholds: AlarmThresholds;
}

/** The log group of a function. */
interface FunctionLog {
  name: string;
  logGroup: ILogGroup;
}

/** An alarm when a metric is above its threshold. */
export interface AlarmDefinition {
  name: AlarmName;
  /** @param threshold of the alarm */
  describe(threshold: number): string;
  metric: IMetric;
  /** consecutive ones above the threshold, 1 by default */
  periods?: number;
  /** whether it fires up to the threshold, and without data */
  isSilence?: boolean;
}

/** Adds alarms on errors, latency, refused requests, throttling, transaction conflicts, unexpected cost and logged errors. */
export function addAlarms(
  stack: Stack,
  { actions, accessLog, logs, others, expectsTraffic, thresholds, ...sources }: AlarmsProps,
): void {
  const scope = new Construct(stack, 'Alarms');
  // API Gateway itself does not tell responses 401 and 429 from others of 4xx.
  const filter = new MetricFilter(scope, 'Refused', {
    logGroup: accessLog,
    filterPattern: FilterPattern.any(
      FilterPattern.stringValue('$.status', '=', '401'),
      FilterPattern.stringValue('$.status', '=', '429'),
    ),
    metricNamespace: `Bugless/${stack.stackName}`,
    metricName: 'RefusedRequests',
  });
  const refused = filter.metric({ period: FIVE_MINUTES, statistic: 'Sum' });
  const errors = loggedErrors(scope, logs).with({ period: FIVE_MINUTES, statistic: 'Sum' });
  const silence = expectsTraffic ? [noRequests(sources.api)] : [];
  const all = [...definitions({ ...sources, refused, errors }), ...silence, ...others];
  for (const { name, describe, metric, periods = 1, isSilence = false } of all) {
    const threshold = thresholds[name];
    const alarm = new Alarm(scope, name, {
      alarmDescription: describe(threshold),
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: isSilence
        ? ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: isSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
  }
}

const FIVE_MINUTES = Duration.minutes(5);

/**
 * The metric of lines of errors in the logs of all functions. Lambda's own lines have no level: one of them tells of a function
 * that was ended, because its time or its memory was used up.
 */
function loggedErrors(scope: Construct, logs: readonly FunctionLog[]): Metric {
  const { stackName } = Stack.of(scope);
  const metric = { metricNamespace: `Bugless/${stackName}`, metricName: 'LoggedErrors' };
  const filterPattern = FilterPattern.any(
    FilterPattern.stringValue('$.level', '=', 'ERROR'),
    FilterPattern.all(
      FilterPattern.stringValue('$.type', '=', 'platform.report'),
      FilterPattern.stringValue('$.record.status', '!=', 'success'),
    ),
  );
  for (const { name, logGroup } of logs) {
    new MetricFilter(scope, `Errors-${name}`, { logGroup, filterPattern, ...metric });
  }
  return new Metric({ namespace: metric.metricNamespace, metricName: metric.metricName });
}

const count = (number: number): string => number.toLocaleString('en');

const noRequests = (api: HttpApi): AlarmDefinition => ({
  name: 'NoRequests',
  describe: (threshold) =>
    `There were ${threshold === 0 ? 'no' : `at most ${count(threshold)}`} requests in a quarter of an hour: the address may lead nowhere, as with a domain or certificate that has expired.`,
  metric: api.metricCount({ period: Duration.minutes(15), statistic: 'Sum' }),
  isSilence: true,
});

/** The alarms of every deployment. */
function definitions({
  api,
  table,
  service,
  refused,
  errors,
}: Pick<AlarmsProps, 'api' | 'table' | 'service'> & {
  refused: IMetric;
  errors: IMetric;
}): AlarmDefinition[] {
  const sum = { period: FIVE_MINUTES, statistic: 'Sum' };
  // DynamoDB reports these metrics only while it throttles, and an addition with a missing operand has no value.
  const throttled = new MathExpression({
    expression: 'FILL(reads, 0) + FILL(writes, 0)',
    usingMetrics: {
      reads: table.metric('ReadThrottleEvents', sum),
      writes: table.metric('WriteThrottleEvents', sum),
    },
    label: 'Throttled requests',
    period: FIVE_MINUTES,
  });
  const share = { period: Duration.minutes(15), statistic: 'Sum' };
  const errorShare = new MathExpression({
    expression: 'IF(requests > 2, 100 * errors / requests, 0)',
    usingMetrics: { errors: api.metricServerError(share), requests: api.metricCount(share) },
    label: 'Responses with status 500 or above, %',
    period: share.period,
  });
  return [
    {
      name: 'ServerErrorShare',
      describe: (threshold) =>
        `More than ${threshold === 50 ? 'half' : `${count(threshold)} %`} of the responses in a quarter of an hour, of three at least, had status 500 or above: an outage.`,
      metric: errorShare,
    },
    {
      name: 'RefusedRequests',
      describe: (threshold) =>
        `More than ${count(threshold)} responses in five minutes had status 401 or 429: somebody tries API keys, or a client ignores requestsPerSecond. The access log has the source addresses.`,
      metric: refused,
    },
    {
      name: 'ServerErrors',
      describe: (threshold) =>
        `More than ${count(threshold)} responses with status 500 or above in five minutes: functions fail, or DynamoDB does not respond.`,
      metric: api.metricServerError(sum),
    },
    {
      name: 'Latency',
      describe: (threshold) =>
        `The 99th percentile of the latency has been over ${count(threshold / 1_000)} seconds for a quarter of an hour.`,
      metric: api.metricLatency({ period: FIVE_MINUTES, statistic: 'p99' }),
      periods: 3,
    },
    {
      name: 'Throttling',
      describe: (threshold) =>
        `DynamoDB has throttled more than ${count(threshold)} requests in five minutes. If the load is legitimate, raise maxReadRequestUnits or maxWriteRequestUnits.`,
      metric: throttled,
    },
    {
      name: 'TransactionConflicts',
      describe: (threshold) =>
        `More than ${count(threshold)} cancelled transactions in five minutes, for a quarter of an hour.`,
      metric: serviceMetric(service, 'Conflicts', sum),
      periods: 3,
    },
    {
      name: 'UnexpectedCost',
      describe: (threshold) =>
        `More than ${count(threshold)} requests in an hour, about a dollar: a client may be in a loop.`,
      metric: api.metricCount({ period: Duration.hours(1), statistic: 'Sum' }),
    },
    {
      name: 'LoggedErrors',
      describe: (threshold) =>
        `${threshold === 0 ? 'Functions have logged errors' : `Functions have logged more than ${count(threshold)} errors`} in five minutes, or were ended by Lambda. The saved query errors of CloudWatch Logs Insights shows them.`,
      metric: errors,
    },
  ];
}

interface AlarmActionsProps {
  /** ARN of an existing SNS topic; '' for none */
  alarmTopic: string;
  /** email address; '' for none */
  alarmEmail: string;
}

/** Where alarms are sent: an existing SNS topic, an email address, or both. Warns at synthesis about neither. */
export function alarmActions(stack: Stack, { alarmTopic, alarmEmail }: AlarmActionsProps): IAlarmAction[] {
  const scope = new Construct(stack, 'AlarmActions');
  const topics: ITopic[] = [];
  if (alarmTopic !== '') topics.push(Topic.fromTopicArn(scope, 'Given', alarmTopic));
  if (alarmEmail !== '') topics.push(emailTopic(scope, alarmEmail));
  if (topics.length === 0) {
    Annotations.of(scope).addWarningV2(
      'bugless:alarms-not-sent',
      'Alarms are shown in CloudWatch only. Set alarmEmail or alarmTopic in the stage file to be notified.',
    );
  }
  return topics.map((topic) => new SnsAction(topic));
}

function emailTopic(scope: Construct, address: string): Topic {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(address));
  // enforceSSL replaces the default topic policy, which let CloudWatch publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return topic;
}
