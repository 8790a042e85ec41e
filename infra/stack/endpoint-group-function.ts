import { dirname, join } from 'node:path';
import { AssetHashType, DockerImage, Duration, type Stack, Stage, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { EndpointGroup } from '../../lib/http/routes.ts';
import { entryOf, writeBundle } from './bundle.ts';
import { logGroupWithRetention } from './log-group.ts';
import { deployedPermissions } from './released-permissions.ts';
import type { DeployedTable } from './table.ts';

/**
 * Lambda allots CPU with memory: this is 0.6 of a core, so that parsing and compressing a large response takes no
 * longer than reading it. A short request costs a tenth of API Gateway's price; half the memory would save half of
 * that tenth.
 */
const MEMORY_MEGABYTES = 1_024;

/** A second less than API Gateway's timeout. */
const TIMEOUT = Duration.seconds(29);

interface EndpointGroupFunctionProps {
  endpointGroup: EndpointGroup;
  table: DeployedTable;
  settings: Readonly<Record<string, string>>;
  isDevelopment: boolean;
}

/** The Lambda function of an endpoint group. Its role permits what the endpoint group declares, and what the last release needs, its own log group, and X-Ray. */
export function endpointGroupFunction(
  stack: Stack,
  { endpointGroup, table, settings, isDevelopment }: EndpointGroupFunctionProps,
): IFunction {
  const scope = new Construct(stack, endpointGroup.name);
  const logGroup = logGroupWithRetention(scope, 'Log', isDevelopment);
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const { actions, partitions } of deployedPermissions(endpointGroup)) {
    const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } };
    role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [table.tableArn], conditions }));
  }
  Validations.of(role).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray actions do not support resource-level permissions',
  });
  return new LambdaFunction(scope, 'Function', {
    description: `Bugless: ${endpointGroup.name}`,
    code: bundledCode(endpointGroup, join(Stage.of(stack)?.outdir ?? '', 'source-maps')),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: MEMORY_MEGABYTES,
    timeout: TIMEOUT,
    environment: { SERVICE_NAME: stack.stackName, ...settings, TABLE_NAME: table.tableName },
    tracing: Tracing.ACTIVE,
    loggingFormat: LoggingFormat.JSON,
    // Leaves out START, END and REPORT lines: the request log and X-Ray have the same figures.
    systemLogLevelV2: SystemLogLevel.WARN,
    logGroup,
    role,
  });
}

/** The bundle of a group, deployed under the hash of what is in it. */
function bundledCode(endpointGroup: EndpointGroup, mapsFolder: string): Code {
  const tryBundle = (folder: string) => {
    writeBundle(endpointGroup, folder, mapsFolder);
    return true;
  };
  return Code.fromAsset(dirname(entryOf(endpointGroup.name)), {
    assetHashType: AssetHashType.OUTPUT,
    // CDK requires a Docker image, of which it makes no use after `tryBundle`.
    bundling: { image: DockerImage.fromRegistry('none'), local: { tryBundle } },
  });
}
