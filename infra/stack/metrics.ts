import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * A metric that the functions write to their logs for each request (lib/logger.ts).
 *
 * @param service the stack's name
 */
export const serviceMetric = (service: string, metricName: string, options: MetricOptions): Metric =>
  new Metric({ namespace: 'Bugless', metricName, dimensionsMap: { service }, ...options });
