import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Dashboard, GraphWidget, type IMetric, Metric, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

interface OverviewProps {
  api: HttpApi;
  table: Table;
  functions: ReadonlyMap<string, IFunction>;
  /** as the functions name themselves in their metrics */
  service: string;
}

const PERIOD = Duration.minutes(5);
const HALF = 12;

/** One page of graphs: what is asked, how long it takes, what it takes of the table. */
export class Overview extends Construct {
  constructor(scope: Construct, id: string, { api, table, functions, service }: OverviewProps) {
    super(scope, id);
    const sum = { period: PERIOD, statistic: 'Sum' };
    const latency = (statistic: string) => api.metricLatency({ period: PERIOD, statistic, label: statistic });
    const own = (name: string) =>
      new Metric({ namespace: 'Bugless', metricName: name, dimensionsMap: { service }, ...sum });
    const each = (metric: (one: IFunction) => IMetric) => [...functions.values()].map(metric);
    const dashboard = new Dashboard(this, 'Dashboard', { periodOverride: PeriodOverride.AUTO });
    dashboard.addWidgets(
      graph('Requests', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]),
      graph('Latency, ms', [latency('p50'), latency('p90'), latency('p99')]),
    );
    dashboard.addWidgets(
      graph(
        'Functions: duration, ms',
        each((one) => one.metricDuration({ period: PERIOD, statistic: 'p90' })),
      ),
      graph('Functions: errors and throttles', [
        ...each((one) => one.metricErrors(sum)),
        ...each((one) => one.metricThrottles(sum)),
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
  }
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: HALF });
}
