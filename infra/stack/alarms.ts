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
import { ALARM_TEXTS, type AlarmName, type AlarmThresholds } from './alarm-thresholds.ts';
import { serviceMetric } from './dashboard.ts';
import type { DeployedTable } from './table.ts';

interface AlarmsProps {
  api: HttpApi;
  accessLog: ILogGroup;
  /** the log groups of all functions, each with the name of its function */
  logs: readonly { name: string; logGroup: ILogGroup }[];
  table: DeployedTable;
  /** the `service` dimension of the functions' metrics */
  service: string;
  /** notified of every alarm, and when it is over */
  actions: readonly IAlarmAction[];
  /** of what not every deployment has */
  others: readonly AlarmMetric[];
  /** whether silence is an alarm */
  expectsTraffic: boolean;
  thresholds: AlarmThresholds;
}

/** An alarm with the metric that is above its threshold when it fires. */
export type AlarmMetric = readonly [name: AlarmName, metric: IMetric];

/** Consecutive periods above the threshold, where they are several. */
const PERIODS: Partial<Record<AlarmName, number>> = { Latency: 3, TransactionConflicts: 3 };

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
  const all = [...metricsOf({ ...sources, refused, errors, expectsTraffic }), ...others];
  for (const [name, metric] of all) {
    const threshold = thresholds[name];
    // It fires up to the threshold, and without data.
    const isSilence = name === 'NoRequests';
    const alarm = new Alarm(scope, name, {
      alarmDescription: ALARM_TEXTS[name](threshold),
      metric,
      threshold,
      evaluationPeriods: PERIODS[name] ?? 1,
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
function loggedErrors(scope: Construct, logs: AlarmsProps['logs']): Metric {
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

/** The sum of metrics that have no values without events: an addition with a missing operand has none. */
export const sumOf = (label: string, usingMetrics: Record<string, IMetric>): IMetric =>
  new MathExpression({
    expression: Object.keys(usingMetrics)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + '),
    usingMetrics,
    label,
    period: FIVE_MINUTES,
  });

/** The metrics of the alarms of every deployment, and of silence. */
function metricsOf({
  api,
  table,
  service,
  refused,
  errors,
  expectsTraffic,
}: Pick<AlarmsProps, 'api' | 'table' | 'service' | 'expectsTraffic'> & {
  refused: IMetric;
  errors: IMetric;
}): AlarmMetric[] {
  const sum = { period: FIVE_MINUTES, statistic: 'Sum' };
  const throttled = sumOf('Throttled requests', {
    reads: table.metric('ReadThrottleEvents', sum),
    writes: table.metric('WriteThrottleEvents', sum),
  });
  const share = { period: Duration.minutes(15), statistic: 'Sum' };
  const errorShare = new MathExpression({
    expression: 'IF(requests > 2, 100 * errors / requests, 0)',
    usingMetrics: { errors: api.metricServerError(share), requests: api.metricCount(share) },
    label: 'Responses with status 500 or above, %',
    period: share.period,
  });
  const metrics: AlarmMetric[] = [
    ['ServerErrorShare', errorShare],
    ['RefusedRequests', refused],
    ['ServerErrors', api.metricServerError(sum)],
    ['Latency', api.metricLatency({ period: FIVE_MINUTES, statistic: 'p99' })],
    ['Throttling', throttled],
    ['TransactionConflicts', serviceMetric(service, 'Conflicts', sum)],
    ['UnexpectedCost', api.metricCount({ period: Duration.hours(1), statistic: 'Sum' })],
    ['LoggedErrors', errors],
  ];
  return expectsTraffic ? [...metrics, ['NoRequests', api.metricCount(share)]] : metrics;
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
