import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Group } from '../../lib/http/routes.ts';
import { Alarms } from './alarms.ts';
import { Api } from './api.ts';
import type { Configuration } from './configuration.ts';
import { CustomDomain } from './custom-domain.ts';
import { Overview } from './dashboard.ts';
import { GroupFunction } from './group-function.ts';
import { BuglessTable } from './table.ts';

interface BuglessStackProps extends StackProps {
  configuration: Configuration;
  /** the groups to deploy */
  groups: readonly Group[];
}

/** The table, a Lambda function for each group of endpoints, the HTTP API, and what operators observe them with. */
export class BuglessStack extends Stack {
  /** by the name of the group */
  readonly functions: ReadonlyMap<string, IFunction>;

  constructor(scope: Construct, id: string, { configuration, groups, ...props }: BuglessStackProps) {
    super(scope, id, props);
    const { isDevelopment, settings } = configuration;
    const { table } = new BuglessTable(this, 'Data', { isDevelopment });
    const deployed = groups.map((group) => {
      const { function: target } = new GroupFunction(this, group.name, {
        group,
        table,
        settings,
        isDevelopment,
      });
      return { group, function: target };
    });
    this.functions = new Map(deployed.map(({ group, function: target }) => [group.name, target]));
    const { api, stage } = new Api(this, 'Http', deployed, isDevelopment);
    if (configuration.customDomain !== undefined) {
      new CustomDomain(this, 'CustomDomain', { api, stage, ...configuration.customDomain });
    }
    new Overview(this, 'Overview', { api, table, functions: this.functions, service: this.stackName });
    if (!isDevelopment) {
      const topic = configuration.alarmTopic;
      const action = topic === '' ? undefined : new SnsAction(Topic.fromTopicArn(this, 'AlarmTopic', topic));
      new Alarms(this, 'Alarms', { api, table, action });
    }
    new CfnOutput(this, 'Url', { value: api.apiEndpoint, description: 'Where the REST interface answers' });
    new CfnOutput(this, 'TableName', {
      value: table.tableName,
      description: 'TABLE_NAME for npm run admin',
    });
  }
}
