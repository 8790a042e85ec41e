/** The stack output with the name of the table: infra/stack/bugless-stack.ts. */
const OUTPUT = 'TableName';

/**
 * Reads the name of the table of a deployed stack from CloudFormation. Region, credentials and endpoint are those of the
 * environment.
 *
 * @throws Error when the stack, its output, credentials or the region are missing
 */
export async function tableOfStack(name: string): Promise<string> {
  // Loading the client is slow, and most commands do not need it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient();
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch((error: unknown) => {
      throw describeError(error, name);
    });
  const table = stack?.Outputs?.find(({ OutputKey }) => OutputKey === OUTPUT)?.OutputValue;
  if (!table) {
    throw new Error(
      `The stack '${name}' (${stack?.StackStatus}) has no output ${OUTPUT}: is it a Bugless stack?`,
    );
  }
  return table;
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
