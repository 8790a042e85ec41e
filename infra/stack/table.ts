import { CfnResource, Duration, RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { tableDefinition } from '../../lib/table/table.ts';
import type { Configuration } from './configuration.ts';

type TableProps = Pick<
  Configuration,
  'isDevelopment' | 'existingTable' | 'events' | 'maxReadRequestUnits' | 'maxWriteRequestUnits'
>;

/** What the stack uses of a table, whether it creates the table or not. */
export type DeployedTable = Omit<ITable, 'tableStreamArn'>;

/**
 * The one table, with point-in-time recovery over 35 days. Outside development stages it is protected from deletion,
 * and retained when it leaves the stack. An existing table is used as it is. It has a stream
 * where events are on.
 *
 * @returns also the ARN of its stream; '': events are off
 */
export function tableOf(stack: Stack, props: TableProps): { table: DeployedTable; streamArn: string } {
  const { isDevelopment, existingTable, events, maxReadRequestUnits, maxWriteRequestUnits } = props;
  const scope = new Construct(stack, 'Data');
  if (existingTable !== '') {
    const existing = Table.fromTableName(scope, 'Table', existingTable);
    return { table: existing, streamArn: events?.tableStream ?? '' };
  }
  const table = new Table(scope, 'Table', {
    partitionKey: { name: tableDefinition.partitionKey, type: AttributeType.STRING },
    sortKey: { name: tableDefinition.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: tableDefinition.timeToLiveAttribute,
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(events === undefined ? {} : { stream: StreamViewType.NEW_IMAGE }),
    ...(maxReadRequestUnits === undefined ? {} : { maxReadRequestUnits }),
    ...(maxWriteRequestUnits === undefined ? {} : { maxWriteRequestUnits }),
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: !isDevelopment,
    removalPolicy: isDevelopment ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  return { table, streamArn: table.tableStreamArn ?? '' };
}

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

/**
 * Encrypts what a stack keeps with a key of the account: table, logs, queues, bus and topic. The functions may use it by DynamoDB
 * and SQS only; the policy of the key itself must permit the services: infra/README.md.
 *
 * @param key its ARN
 */
export function encryptWith(stack: Stack, key: string, functions: readonly LambdaFunction[]): void {
  const properties: Partial<Record<string, object>> = {
    'AWS::DynamoDB::Table': {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: key },
    },
    'AWS::SQS::Queue': { SqsManagedSseEnabled: undefined, KmsMasterKeyId: key },
    'AWS::Logs::LogGroup': { KmsKeyId: key },
    'AWS::SNS::Topic': { KmsMasterKeyId: key },
    'AWS::Events::EventBus': { KmsKeyIdentifier: key },
  };
  for (const resource of stack.node.findAll().filter(CfnResource.isCfnResource)) {
    for (const [name, value] of Object.entries(properties[resource.cfnResourceType] ?? {})) {
      resource.addPropertyOverride(name, value);
    }
  }
  const services = ['dynamodb', 'sqs'].map((name) => `${name}.${stack.region}.amazonaws.com`);
  for (const one of functions) {
    one.addToRolePolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
        resources: [key],
        conditions: { StringEquals: { 'kms:ViaService': services } },
      }),
    );
  }
}
