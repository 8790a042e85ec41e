import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';

/** When somebody should look, and why. */
interface Concern {
  name: string;
  description: string;
  metric: IMetric;
  above: number;
  /** of five minutes each */
  periods: number;
}

const FIVE_MINUTES = Duration.minutes(5);

interface AlarmsProps {
  api: HttpApi;
  table: Table;
  /** told of alarms; absent: they are only shown */
  action: IAlarmAction | undefined;
}

/** Alarms on what users notice, on what slows writers down, and on a bill out of proportion. */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { api, table, action }: AlarmsProps) {
    super(scope, id);
    for (const { name, description, metric, above, periods } of concernsOf(api, table)) {
      const alarm = new Alarm(this, name, {
        alarmDescription: description,
        metric,
        threshold: above,
        evaluationPeriods: periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      if (action !== undefined) alarm.addAlarmAction(action);
    }
  }
}

function concernsOf(api: HttpApi, table: Table): Concern[] {
  const sum = { period: FIVE_MINUTES, statistic: 'Sum' };
  const throttled = new MathExpression({
    expression: 'reads + writes',
    usingMetrics: {
      reads: table.metric('ReadThrottleEvents', sum),
      writes: table.metric('WriteThrottleEvents', sum),
    },
    period: FIVE_MINUTES,
  });
  const hourly = { period: Duration.hours(1), statistic: 'Sum' };
  return [
    {
      name: 'ServerErrors',
      description:
        'More than 5 answers of 500 or above in five minutes: the functions fail, or the table does not answer.',
      metric: api.metricServerError(sum),
      above: 5,
      periods: 1,
    },
    {
      name: 'Latency',
      description: 'For a quarter of an hour one request in a hundred has taken over 3 seconds.',
      metric: api.metricLatency({ period: FIVE_MINUTES, statistic: 'p99' }),
      above: 3_000,
      periods: 3,
    },
    {
      name: 'Throttling',
      description: 'DynamoDB has throttled more than 10 requests in five minutes.',
      metric: throttled,
      above: 10,
      periods: 1,
    },
    {
      name: 'TransactionConflicts',
      description:
        'For a quarter of an hour writers have got in the way of each other 200 times in five minutes.',
      metric: table.metric('TransactionConflict', sum),
      above: 200,
      periods: 3,
    },
    {
      name: 'UnexpectedCost',
      description: 'Over 300,000 requests in an hour, about a dollar: something asks in a loop.',
      metric: api.metricCount(hourly),
      above: 300_000,
      periods: 1,
    },
  ];
}
