import { settingsOfTemplate, templateOfStack } from '../deployed-template.ts';

/** The stack outputs with the names of the table and the event bus: infra/stack/bugless-stack.ts. */
const TABLE_OUTPUT = 'TableName';
const BUS_OUTPUT = 'EventBusName';
/** Those with the URLs of the dead-letter queues, by what these keep. */
const FAILED_OUTPUTS = {
  events: 'FailedEventsQueue',
  webhooks: 'FailedWebhooksQueue',
  mail: 'FailedMailQueue',
  accounts: 'FailedAccountsQueue',
};

/**
 * Reads the name of the table of a deployed stack, that of its event bus, and the URLs of its dead-letter queues, from
 * CloudFormation. Region, credentials and endpoint are those of the environment.
 *
 * @returns undefined for a bus or a queue that it does not have
 * @throws Error when the stack, its output, credentials or the region are missing
 */
export async function resourcesOfStack(name: string) {
  // Loading the client is slow, and most commands do not need it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient();
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch((error: unknown) => {
      throw describeError(error, name);
    });
  const output = (key: string) => stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
  const table = output(TABLE_OUTPUT);
  if (!table) {
    throw new Error(
      `The stack '${name}' (${stack?.StackStatus}) has no output ${TABLE_OUTPUT}: is it a Bugless stack?`,
    );
  }
  const { events, webhooks, mail, accounts } = FAILED_OUTPUTS;
  const failedQueues = {
    ...{ events: output(events), webhooks: output(webhooks) },
    ...{ mail: output(mail), accounts: output(accounts) },
  };
  return { table, bus: output(BUS_OUTPUT), failedQueues };
}

/**
 * Reads the environment variables of the functions of a deployed stack from its template, which has them as literal texts.
 *
 * @throws Error when CloudFormation refuses, or the template is not JSON
 */
export async function settingsOfStack(name: string): Promise<Record<string, string>> {
  const { CloudFormationClient } = await import('@aws-sdk/client-cloudformation');
  const template = await templateOfStack(new CloudFormationClient(), name).catch((error: unknown) => {
    throw describeError(error, name);
  });
  return settingsOfTemplate(template);
}

function describeError(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error;
  if (/does not exist/.test(error.message)) {
    return new Error(
      `There is no stack '${name}' in this region of the account. Its name is Bugless-<stage>.`,
    );
  }
  if (/region is missing/i.test(error.message)) {
    return new Error('No AWS region is set: use --region NAME or AWS_REGION.');
  }
  if (error.name === 'CredentialsProviderError') {
    return new Error('No AWS credentials are set: log in, or name a profile in AWS_PROFILE.');
  }
  return new Error(`CloudFormation cannot describe the stack '${name}': ${error.message}`);
}
