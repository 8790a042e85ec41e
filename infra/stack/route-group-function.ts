import { join } from 'node:path';
import { Duration, Stack, Stage, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type IFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  Charset,
  LogLevel,
  NodejsFunction,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import type { RouteGroup } from '../../lib/http/routes.ts';
import { afterBundlingCommand } from './after-bundling-command.ts';
import { BUNDLE_ALIASES } from './bundle-aliases.ts';
import { logGroupWithRetention } from './log-group.ts';
import type { DeployedTable } from './table.ts';

const PROJECT = join(import.meta.dirname, '../..');

/**
 * Lambda allots CPU with memory: this is 0.6 of a core, so that parsing and compressing a large response takes no
 * longer than reading it. A short request costs a tenth of API Gateway's price; half the memory would save half of
 * that tenth.
 */
const MEMORY_MEGABYTES = 1_024;

/** A second less than API Gateway's timeout. */
const TIMEOUT = Duration.seconds(29);

interface RouteGroupFunctionProps {
  routeGroup: RouteGroup;
  table: DeployedTable;
  settings: Readonly<Record<string, string>>;
  isDevelopment: boolean;
}

/** The Lambda function of a route group. Its role permits what the route group declares, its own log group, and X-Ray. */
export class RouteGroupFunction extends Construct {
  readonly function: IFunction;

  constructor(
    scope: Construct,
    id: string,
    { routeGroup, table, settings, isDevelopment }: RouteGroupFunctionProps,
  ) {
    super(scope, id);
    const logGroup = logGroupWithRetention(this, 'Log', isDevelopment);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const { actions, partitions } of routeGroup.permissions) {
      const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } };
      role.addToPolicy(
        new PolicyStatement({ actions: [...actions], resources: [table.tableArn], conditions }),
      );
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray actions do not support resource-level permissions',
    });
    this.function = new NodejsFunction(this, 'Function', {
      description: `Bugless: ${routeGroup.name}`,
      entry: join(PROJECT, 'functions', routeGroup.name, 'index.ts'),
      projectRoot: PROJECT,
      depsLockFilePath: join(PROJECT, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MEGABYTES,
      timeout: TIMEOUT,
      environment: { SERVICE_NAME: Stack.of(this).stackName, ...settings, TABLE_NAME: table.tableName },
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      // Leaves out START, END and REPORT lines: the request log and X-Ray have the same figures.
      systemLogLevelV2: SystemLogLevel.WARN,
      awsSdkConnectionReuse: false,
      bundling: bundling(routeGroup, join(Stage.of(this)?.outdir ?? '', 'source-maps')),
      logGroup,
      role,
    });
  }
}

/**
 * @param mapsFolder where the source map goes. It is not deployed, because it holds paths, which would change the hash
 * of the bundle from machine to machine.
 */
function bundling({ name, assets }: RouteGroup, mapsFolder: string): BundlingOptions {
  return {
    format: OutputFormat.ESM,
    mainFields: ['module', 'main'],
    bundleAwsSDK: true,
    esbuildArgs: Object.fromEntries(
      Object.entries(BUNDLE_ALIASES).map(([alias, file]) => [`--alias:${alias}`, file]),
    ),
    minify: true,
    charset: Charset.UTF8,
    logLevel: LogLevel.WARNING,
    sourceMap: true,
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      afterBundling: (_, outputDir) => [
        afterBundlingCommand({
          outputDir,
          sourceMap: join(mapsFolder, `${name}.mjs.map`),
          assets: assets.map(({ name: fileName, source }) => ({
            source: join(PROJECT, source),
            target: join(outputDir, fileName),
          })),
        }),
      ],
    },
  };
}
