import { Duration, type Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  type MetricOptions,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { DeployedTable } from './table.ts';

interface OverviewProps {
  api: HttpApi;
  table: DeployedTable;
  functions: readonly IFunction[];
  /** the `service` dimension of the functions' metrics */
  service: string;
  /** of what not every deployment has */
  others: readonly Graph[];
}

/** A graph of the dashboard, half as wide as it. */
export type Graph = readonly [title: string, metrics: IMetric[]];

const PERIOD = Duration.minutes(5);
const HALF = 12;

/** Adds the CloudWatch dashboard: requests, latency, functions, table. @returns its URL */
export function addDashboard(
  stack: Stack,
  { api, table, functions, service, others }: OverviewProps,
): string {
  const scope = new Construct(stack, 'Overview');
  const sum = { period: PERIOD, statistic: 'Sum' };
  const latency = (statistic: string) => api.metricLatency({ period: PERIOD, statistic, label: statistic });
  const ofTable = (name: string) => table.metric(name, sum);
  const own = (name: string) => serviceMetric(service, name, sum);
  const each = (metric: (target: IFunction) => IMetric) => functions.map(metric);
  const dashboard = new Dashboard(scope, 'Dashboard', { periodOverride: PeriodOverride.AUTO });
  const graphs: Graph[] = [
    ['Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]],
    ['Latency, ms', [latency('p50'), latency('p90'), latency('p99')]],
    ['Functions: duration, ms', each((one) => one.metricDuration({ period: PERIOD, statistic: 'p90' }))],
    [
      'Functions: errors and throttles',
      [...each((one) => one.metricErrors(sum)), ...each((one) => one.metricThrottles(sum))],
    ],
    [
      'Table: capacity units',
      [table.metricConsumedReadCapacityUnits(sum), table.metricConsumedWriteCapacityUnits(sum)],
    ],
    [
      'Table: throttles, conflicts, retries',
      [ofTable('ReadThrottleEvents'), ofTable('WriteThrottleEvents'), own('Conflicts'), own('Retries')],
    ],
    ...others,
  ];
  for (let first = 0; first < graphs.length; first += 2) {
    const row = graphs.slice(first, first + 2);
    dashboard.addWidgets(...row.map(([title, left]) => new GraphWidget({ title, left, width: HALF })));
  }
  return `https://console.aws.amazon.com/cloudwatch/home?region=${stack.region}#dashboards/dashboard/${dashboard.dashboardName}`;
}

/**
 * A metric that the functions write to their logs for each request (lib/logger.ts).
 *
 * @param service the stack's name
 */
export const serviceMetric = (service: string, metricName: string, options: MetricOptions): Metric =>
  new Metric({ namespace: 'Bugless', metricName, dimensionsMap: { service }, ...options });
