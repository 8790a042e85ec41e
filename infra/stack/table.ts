import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { tableDefinition } from '../../lib/table/table.ts';
import type { Configuration } from './configuration.ts';

type TableProps = Pick<
  Configuration,
  'isDevelopment' | 'existingTable' | 'events' | 'maxReadRequestUnits' | 'maxWriteRequestUnits'
>;

/** What the stack uses of a table, whether it creates the table or not. */
export type DeployedTable = Omit<ITable, 'tableStreamArn'>;

interface TableWithStream {
  table: DeployedTable;
  /** ARN of its stream; '': events are off */
  streamArn: string;
}

/**
 * The one table, with point-in-time recovery over 35 days. Outside development stages it is protected from deletion,
 * and retained when it leaves the stack. An existing table is used as it is. It has a stream
 * where events are on.
 */
export function tableOf(stack: Stack, props: TableProps): TableWithStream {
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
