import { CfnOutput, Duration, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { listedWebhooksOf } from '../../lib/changes/events/webhook-list.ts';
import type { EndpointGroup } from '../../lib/http/routes.ts';
import { FORMAT } from '../../lib/table/format.ts';
import { VERSION } from '../../lib/version.ts';
import { addAlarms, alarmActions } from './alarms.ts';
import { addCustomDomain, apiOf } from './api.ts';
import { bundledFunction } from './bundled-function.ts';
import type { Configuration } from './configuration.ts';
import { addDashboard } from './dashboard.ts';
import { addEventDelivery } from './events/event-delivery.ts';
import { addMonthlyBudget } from './monthly-budget.ts';
import { OPTIONS_METADATA } from './recorded-options.ts';
import { addSavedQueries } from './saved-queries.ts';
import { addMonthlyBackups, encryptWith, tableOf } from './table.ts';

interface BuglessStackProps extends StackProps {
  configuration: Configuration;
  /** the endpoint groups to deploy */
  endpointGroups: readonly EndpointGroup[];
}

/** A second less than API Gateway's timeout. */
const TIMEOUT = Duration.seconds(29);

/**
 * The table, a Lambda function for each endpoint group, the HTTP API, on request what tells others of changes, and their
 * observability.
 */
export class BuglessStack extends Stack {
  /** by the name of the endpoint group */
  readonly functions: ReadonlyMap<string, LambdaFunction>;

  constructor(scope: Construct, id: string, { configuration, endpointGroups, ...props }: BuglessStackProps) {
    const { stage: stageName, isDevelopment, settings, customDomain } = configuration;
    super(scope, id, { terminationProtection: !isDevelopment, ...props });
    this.templateOptions.metadata = { [OPTIONS_METADATA]: configuration.options };
    // Not every region that has budgets takes their tags.
    const excludeResourceTypes = ['AWS::Budgets::Budget'];
    Tags.of(this).add('project', 'bugless', { excludeResourceTypes });
    Tags.of(this).add('stage', stageName, { excludeResourceTypes });
    const { table, streamArn } = tableOf(this, configuration);
    const context = { table, environment: settings, isDevelopment };
    const webhooks = configuration.events?.webhooks ?? [];
    const options = webhooks.length === 0 ? {} : { webhooks: listedWebhooksOf(webhooks) };
    const deployed = endpointGroups.map((endpointGroup) => ({
      endpointGroup,
      function: bundledFunction(this, {
        ...{ ...context, code: endpointGroup, timeout: TIMEOUT, options },
      }),
    }));
    this.functions = new Map(
      deployed.map(({ endpointGroup, function: target }) => [endpointGroup.name, target]),
    );
    const { requestsPerSecond, keepDefaultEndpoint, monthlyBudget, alarmEmail } = configuration;
    const { kmsKey, reservedConcurrency } = configuration;
    const hasDefaultEndpoint = customDomain === undefined || keepDefaultEndpoint;
    const { api, stage, accessLog } = apiOf(this, {
      ...{ deployed, isDevelopment, requestsPerSecond, hasDefaultEndpoint },
    });
    const url = customDomain === undefined ? api.apiEndpoint : `https://${customDomain.domain}`;
    const events =
      configuration.events &&
      addEventDelivery(this, {
        ...{ options: configuration.events, context, streamArn, url },
        account: this.functions.get('account'),
      });
    const service = this.stackName;
    const functions = [...this.functions.values(), ...(events?.functions ?? [])];
    const dashboardUrl = addDashboard(this, {
      ...{ api, table, service, others: events?.graphs ?? [], functions },
    });
    const logs = functions.map(({ node, logGroup }) => ({ name: node.scope?.node.id ?? node.id, logGroup }));
    addSavedQueries(this, { accessLog, logs: logs.map(({ logGroup }) => logGroup) });
    if (!isDevelopment) {
      const actions = alarmActions(this, configuration);
      addAlarms(this, {
        ...{ api, accessLog, logs, table, service, actions, others: events?.alarms ?? [] },
        expectsTraffic: configuration.expectsTraffic,
        thresholds: configuration.alarmThresholds,
      });
    }
    if (configuration.monthlyBackups && !isDevelopment) addMonthlyBackups(this, table);
    if (kmsKey !== '') encryptWith(this, kmsKey, functions);
    if (reservedConcurrency !== undefined) reserveConcurrency(functions, reservedConcurrency);
    if (monthlyBudget !== undefined) {
      addMonthlyBudget(this, monthlyBudget, alarmEmail, process.env['CDK_DEFAULT_REGION']);
    }
    if (customDomain !== undefined) {
      const target = addCustomDomain(this, { api, stage, ...customDomain });
      this.#output('PointTo', target, `Target of the CNAME or alias record of ${customDomain.domain}`);
    }
    this.#output('Url', url, 'URL of the REST interface');
    this.#output('TableName', table.tableName, 'TABLE_NAME for npm run admin');
    this.#output('DashboardUrl', dashboardUrl, 'URL of the CloudWatch dashboard');
    if (events !== undefined) {
      this.#output('EventBusName', events.busName, 'Event bus, for rules of your own');
      for (const [name, queueUrl] of Object.entries(events.failed)) {
        this.#output(name, queueUrl, 'Queue of what could not be delivered');
      }
    }
    this.#output(
      'TableFormat',
      `${FORMAT}: after an update from a version with another format, run npm run admin -- upgrade --stack ${service}`,
      `Format of the table in Bugless ${VERSION}; versions before 1.0.0 have none`,
    );
  }

  #output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}

/** Keeps concurrent executions of the account for each function, which has no more. */
function reserveConcurrency(functions: readonly LambdaFunction[], executions: number): void {
  for (const { node } of functions) {
    if (node.defaultChild instanceof CfnFunction) node.defaultChild.reservedConcurrentExecutions = executions;
  }
}
