import { Duration, type Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { DeployedTable } from './table.ts';

/** A backup of the table on the first of each month, kept for a year in a vault that outlives the stack. */
export function addMonthlyBackups(stack: Stack, table: DeployedTable): void {
  const scope = new Construct(stack, 'Backups');
  const plan = new BackupPlan(scope, 'Plan', {
    backupVault: new BackupVault(scope, 'Vault'),
    backupPlanRules: [
      new BackupPlanRule({
        ruleName: 'monthly',
        scheduleExpression: Schedule.cron({ minute: '0', hour: '3', day: '1' }),
        deleteAfter: Duration.days(365),
      }),
    ],
  });
  const selection = plan.addSelection('Table', { resources: [BackupResource.fromArn(table.tableArn)] });
  Validations.of(selection).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
    reason: 'AWS keeps the permissions of its service for backups in this policy',
  });
}
