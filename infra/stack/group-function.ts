import { join } from 'node:path';
import { Duration, Stack, Stage, Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type IFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  Charset,
  LogLevel,
  NodejsFunction,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import type { Group } from '../../lib/http/routes.ts';
import { BUNDLE_ALIASES } from './bundle-aliases.ts';
import { logGroupWithRetention } from './log-group.ts';

const PROJECT = join(import.meta.dirname, '../..');

/**
 * CPU comes with memory: this is 0.6 of a core, so that reading, validating and compressing a large answer
 * does not outlast the table's. A short request costs a tenth of what API Gateway takes for it; half the
 * memory would save half of that tenth.
 */
const MEMORY_MEGABYTES = 1_024;

/** A second less than API Gateway waits. */
const TIMEOUT = Duration.seconds(29);

interface GroupFunctionProps {
  group: Group;
  table: Table;
  settings: Readonly<Record<string, string>>;
  isDevelopment: boolean;
}

/** The Lambda function of a group. Its role permits what the group declares, its own log group, and X-Ray. */
export class GroupFunction extends Construct {
  readonly function: IFunction;

  constructor(scope: Construct, id: string, { group, table, settings, isDevelopment }: GroupFunctionProps) {
    super(scope, id);
    const logGroup = logGroupWithRetention(this, 'Log', isDevelopment);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const { actions, partitions } of group.permissions) {
      const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } };
      role.addToPolicy(
        new PolicyStatement({ actions: [...actions], resources: [table.tableArn], conditions }),
      );
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason:
        'X-Ray takes segments for no resource in particular; what IAM calls a wildcard is its only form',
    });
    this.function = new NodejsFunction(this, 'Function', {
      description: `Bugless: ${group.name}`,
      entry: join(PROJECT, 'functions', group.name, 'index.ts'),
      projectRoot: PROJECT,
      depsLockFilePath: join(PROJECT, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MEGABYTES,
      timeout: TIMEOUT,
      environment: { SERVICE_NAME: Stack.of(this).stackName, ...settings, TABLE_NAME: table.tableName },
      tracing: Tracing.ACTIVE,
      awsSdkConnectionReuse: false,
      bundling: bundling(group, join(Stage.of(this)?.outdir ?? '', 'source-maps')),
      logGroup,
      role,
    });
  }
}

/**
 * @param mapsFolder where source maps go: they hold paths, and would give each machine's bundle another hash
 */
function bundling({ name: group, assets }: Group, mapsFolder: string): BundlingOptions {
  return {
    format: OutputFormat.ESM,
    mainFields: ['module', 'main'],
    bundleAwsSDK: true,
    esbuildArgs: Object.fromEntries(
      Object.entries(BUNDLE_ALIASES).map(([name, file]) => [`--alias:${name}`, file]),
    ),
    minify: true,
    charset: Charset.UTF8,
    logLevel: LogLevel.WARNING,
    sourceMap: true,
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      afterBundling: (_, outputDir) => [
        `mkdir -p "${mapsFolder}"`,
        `mv "${outputDir}/index.mjs.map" "${mapsFolder}/${group}.mjs.map"`,
        ...assets.map(({ name, source }) => `cp "${join(PROJECT, source)}" "${join(outputDir, name)}"`),
      ],
    },
  };
}
