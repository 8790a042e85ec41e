/** The output of the stack that names its table: infra/stack/bugless-stack.ts. */
const OUTPUT = 'TableName';

/**
 * The name of a deployed stack's table, which CloudFormation tells. Region, credentials and endpoint are those
 * of the environment.
 *
 * @throws Error saying what is missing: the stack, its output, credentials, a region
 */
export async function tableOfStack(name: string): Promise<string> {
  // Most runs need no CloudFormation; loading its client takes longer than what they do.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient();
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch((error: unknown) => {
      throw explained(error, name);
    });
  const table = stack?.Outputs?.find(({ OutputKey }) => OutputKey === OUTPUT)?.OutputValue;
  if (!table) {
    throw new Error(
      `The stack '${name}' (${stack?.StackStatus}) has no output ${OUTPUT}: is it one of Bugless?`,
    );
  }
  return table;
}

function explained(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error;
  if (/does not exist/.test(error.message)) {
    return new Error(
      `There is no stack '${name}' in this region of the account. Its name is Bugless-<stage>.`,
    );
  }
  if (/region is missing/i.test(error.message)) {
    return new Error('No AWS region is set: give --region NAME, or set AWS_REGION.');
  }
  if (error.name === 'CredentialsProviderError') {
    return new Error('No AWS credentials are set: log in, or name a profile in AWS_PROFILE.');
  }
  return new Error(`CloudFormation does not tell of the stack '${name}': ${error.message}`);
}
