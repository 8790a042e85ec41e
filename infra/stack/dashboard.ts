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
export interface Graph {
  title: string;
  metrics: IMetric[];
}

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
  const own = (name: string) => serviceMetric(service, name, sum);
  const each = (metric: (target: IFunction) => IMetric) => functions.map(metric);
  const dashboard = new Dashboard(scope, 'Dashboard', { periodOverride: PeriodOverride.AUTO });
  dashboard.addWidgets(
    graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]),
    graph('Latency, ms', [latency('p50'), latency('p90'), latency('p99')]),
  );
  dashboard.addWidgets(
    graph(
      'Functions: duration, ms',
      each((target) => target.metricDuration({ period: PERIOD, statistic: 'p90' })),
    ),
    graph('Functions: errors and throttles', [
      ...each((target) => target.metricErrors(sum)),
      ...each((target) => target.metricThrottles(sum)),
    ]),
  );
  dashboard.addWidgets(
    graph('Table: capacity units', [
      table.metricConsumedReadCapacityUnits(sum),
      table.metricConsumedWriteCapacityUnits(sum),
    ]),
    graph('Table: throttles, conflicts, retries', [
      table.metric('ReadThrottleEvents', sum),
      table.metric('WriteThrottleEvents', sum),
      own('Conflicts'),
      own('Retries'),
    ]),
  );
  for (let first = 0; first < others.length; first += 2) {
    const row = others.slice(first, first + 2);
    dashboard.addWidgets(...row.map(({ title, metrics }) => graph(title, metrics)));
  }
  return `https://console.aws.amazon.com/cloudwatch/home?region=${stack.region}#dashboards/dashboard/${dashboard.dashboardName}`;
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: HALF });
}

/**
 * A metric that the functions write to their logs for each request (lib/logger.ts).
 *
 * @param service the stack's name
 */
export const serviceMetric = (service: string, metricName: string, options: MetricOptions): Metric =>
  new Metric({ namespace: 'Bugless', metricName, dimensionsMap: { service }, ...options });
