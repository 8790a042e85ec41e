import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { tableDefinition } from '../../lib/dynamodb/table.ts';
import type { Configuration } from './configuration.ts';

type TableProps = Pick<
  Configuration,
  'isDevelopment' | 'existingTable' | 'maxReadRequestUnits' | 'maxWriteRequestUnits'
>;

/** What the stack uses of a table, whether it creates the table or not. */
export type DeployedTable = Omit<ITable, 'tableStreamArn'>;

/**
 * The one table, with point-in-time recovery over 35 days. Outside development stages it is protected from deletion,
 * and retained when it leaves the stack. An existing table is used as it is.
 */
export function tableOf(stack: Stack, props: TableProps): DeployedTable {
  const { isDevelopment, existingTable, maxReadRequestUnits, maxWriteRequestUnits } = props;
  const scope = new Construct(stack, 'Data');
  if (existingTable !== '') return Table.fromTableName(scope, 'Table', existingTable);
  return new Table(scope, 'Table', {
    partitionKey: { name: tableDefinition.partitionKey, type: AttributeType.STRING },
    sortKey: { name: tableDefinition.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: tableDefinition.timeToLiveAttribute,
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(maxReadRequestUnits === undefined ? {} : { maxReadRequestUnits }),
    ...(maxWriteRequestUnits === undefined ? {} : { maxWriteRequestUnits }),
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: !isDevelopment,
    removalPolicy: isDevelopment ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}
