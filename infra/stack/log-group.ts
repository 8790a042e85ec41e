import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** A log group that forgets: after a week in development, else after a quarter. */
export function logGroupWithRetention(scope: Construct, id: string, isDevelopment: boolean): LogGroup {
  return new LogGroup(scope, id, {
    retention: isDevelopment ? RetentionDays.ONE_WEEK : RetentionDays.THREE_MONTHS,
    removalPolicy: isDevelopment ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
}
