import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** A log group with retention: a week in development stages, three months in others, where it outlives the stack. */
export function logGroupWithRetention(scope: Construct, id: string, isDevelopment: boolean): LogGroup {
  return new LogGroup(scope, id, {
    retention: isDevelopment ? RetentionDays.ONE_WEEK : RetentionDays.THREE_MONTHS,
    removalPolicy: isDevelopment ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}
