import { dirname, join } from 'node:path';
import { AssetHashType, DockerImage, type Duration, type Stack, Stage, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import * as z from 'zod';
import type { EndpointGroup, OptionAssets } from '../../lib/http/routes.ts';
import type { TablePermission } from '../../lib/table/table.ts';
import { entryOf, writeBundle } from './bundle.ts';
import { logGroupWithRetention } from './log-group.ts';
import recorded from './released-permissions.json' with { type: 'json' };
import type { DeployedTable } from './table.ts';

/**
 * Lambda allots CPU with memory: this is 0.6 of a core, so that parsing and compressing a large response takes no
 * longer than reading it. A short request costs a tenth of API Gateway's price; half the memory would save half of
 * that tenth.
 */
const MEMORY_MEGABYTES = 1_024;

/** What the functions of a stack share. */
export interface FunctionContext {
  table: DeployedTable;
  /** environment variables, beside the names of the service and the table */
  environment: Readonly<Record<string, string>>;
  isDevelopment: boolean;
}

interface BundledFunctionProps extends FunctionContext {
  /** its folder in functions/, its permissions on the table, and files beside its bundle */
  code: Pick<EndpointGroup, 'name' | 'permissions' | 'assets'>;
  /** options of the stage that the function reads from files */
  options?: OptionAssets;
  timeout: Duration;
  /** why its role has actions on all resources */
  reason?: string;
}

/** A Lambda function of the folder functions/. Its role permits what its code declares, and what the last release needs, its own log group, and X-Ray. */
export function bundledFunction(
  stack: Stack,
  { code, table, environment, options, timeout, isDevelopment, reason = UNSCOPED_XRAY }: BundledFunctionProps,
): LambdaFunction {
  const scope = new Construct(stack, code.name);
  const logGroup = logGroupWithRetention(scope, 'Log', isDevelopment);
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const { actions, partitions } of deployedPermissions(code)) {
    const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } };
    role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [table.tableArn], conditions }));
  }
  Validations.of(role).acknowledge({ id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]', reason });
  return new LambdaFunction(scope, 'Function', {
    description: `Bugless: ${code.name}`,
    code: bundledCode(code, join(Stage.of(stack)?.outdir ?? '', 'source-maps'), options),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: MEMORY_MEGABYTES,
    timeout,
    environment: { SERVICE_NAME: stack.stackName, ...environment, TABLE_NAME: table.tableName },
    tracing: Tracing.ACTIVE,
    loggingFormat: LoggingFormat.JSON,
    // Leaves out START, END and REPORT lines: the request log and X-Ray have the same figures.
    systemLogLevelV2: SystemLogLevel.WARN,
    logGroup,
    role,
  });
}

const UNSCOPED_XRAY = 'X-Ray actions do not support resource-level permissions';

/** The bundle of a function, deployed under the hash of what is in it. */
function bundledCode(
  code: Pick<EndpointGroup, 'name' | 'assets'>,
  mapsFolder: string,
  options: OptionAssets | undefined,
): Code {
  const tryBundle = (folder: string) => {
    writeBundle(code, folder, mapsFolder, options);
    return true;
  };
  return Code.fromAsset(dirname(entryOf(code.name)), {
    assetHashType: AssetHashType.OUTPUT,
    // CDK requires a Docker image, of which it makes no use after `tryBundle`.
    bundling: { image: DockerImage.fromRegistry('none'), local: { tryBundle } },
  });
}

const permission = z.object({ actions: z.array(z.string()), partitions: z.array(z.string()) });
const releases = z.array(
  z.object({ version: z.string(), permissions: z.record(z.string(), z.array(permission)) }),
);

/** The permissions of the releases that a deployment may replace, by the names of functions. */
const released = releases.parse(recorded);

/** Whether a statement allows all that another one does, in one transaction. */
const covers = (statement: TablePermission, other: TablePermission): boolean =>
  other.actions.every((action) => statement.actions.includes(action)) &&
  other.partitions.every((partition) => statement.partitions.includes(partition));

/**
 * The permissions of a function, and those of earlier releases that it has no longer: CloudFormation changes policies before
 * functions, so the code of such a release runs with them for a while, also after a rollback. infra/UPGRADING.md.
 */
export function deployedPermissions({
  name,
  permissions,
}: Pick<EndpointGroup, 'name' | 'permissions'>): TablePermission[] {
  const all = [...permissions];
  for (const former of released.flatMap((release) => release.permissions[name] ?? [])) {
    if (!all.some((current) => covers(current, former))) all.push(former);
  }
  return all;
}
