import { Duration, type Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { serviceMetric } from './metrics.ts';
import type { DeployedTable } from './table.ts';

interface AlarmsProps {
  api: HttpApi;
  accessLog: ILogGroup;
  table: DeployedTable;
  /** the `service` dimension of the functions' metrics */
  service: string;
  /** notified of every alarm, and when it is over */
  actions: readonly IAlarmAction[];
  /** of what not every deployment has */
  others: readonly AlarmDefinition[];
}

/** An alarm when a metric is above its threshold. */
export interface AlarmDefinition {
  name: string;
  description: string;
  metric: IMetric;
  threshold: number;
  /** consecutive ones above the threshold, 1 by default */
  periods?: number;
}

/** Adds alarms on errors, latency, refused requests, throttling, transaction conflicts and unexpected cost. */
export function addAlarms(stack: Stack, { actions, accessLog, others, ...sources }: AlarmsProps): void {
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
  const all = [...definitions({ ...sources, refused }), ...others];
  for (const { name, description, metric, threshold, periods = 1 } of all) {
    const alarm = new Alarm(scope, name, {
      alarmDescription: description,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
  }
}

const FIVE_MINUTES = Duration.minutes(5);

/** The alarms of every deployment. */
function definitions({
  api,
  table,
  service,
  refused,
}: Omit<AlarmsProps, 'actions' | 'accessLog' | 'others'> & { refused: IMetric }): AlarmDefinition[] {
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
      description:
        'More than half of the responses in a quarter of an hour, of three at least, had status 500 or above: an outage.',
      metric: errorShare,
      threshold: 50,
    },
    {
      name: 'RefusedRequests',
      description:
        'More than 1,000 responses in five minutes had status 401 or 429: somebody tries API keys, or a client ignores requestsPerSecond. The access log has the source addresses.',
      metric: refused,
      threshold: 1_000,
    },
    {
      name: 'ServerErrors',
      description:
        'More than 5 responses with status 500 or above in five minutes: functions fail, or DynamoDB does not respond.',
      metric: api.metricServerError(sum),
      threshold: 5,
    },
    {
      name: 'Latency',
      description: 'The 99th percentile of the latency has been over 3 seconds for a quarter of an hour.',
      metric: api.metricLatency({ period: FIVE_MINUTES, statistic: 'p99' }),
      threshold: 3_000,
      periods: 3,
    },
    {
      name: 'Throttling',
      description:
        'DynamoDB has throttled more than 10 requests in five minutes. If the load is legitimate, raise maxReadRequestUnits or maxWriteRequestUnits.',
      metric: throttled,
      threshold: 10,
    },
    {
      name: 'TransactionConflicts',
      description: 'More than 200 cancelled transactions in five minutes, for a quarter of an hour.',
      metric: serviceMetric(service, 'Conflicts', sum),
      threshold: 200,
      periods: 3,
    },
    {
      name: 'UnexpectedCost',
      description: 'More than 300,000 requests in an hour, about a dollar: a client may be in a loop.',
      metric: api.metricCount({ period: Duration.hours(1), statistic: 'Sum' }),
      threshold: 300_000,
    },
  ];
}
