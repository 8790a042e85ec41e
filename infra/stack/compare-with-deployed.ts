import { Annotations, type Stack } from 'aws-cdk-lib';
import { type DeployedTemplate, templateOfStack } from '../deployed-template.ts';
import type { Configuration } from './configuration.ts';
import { optionsOfTemplate, takenOptions } from './recorded-options.ts';
import { stageFile } from './stage-file.ts';

/**
 * Compares the options with those that the stack is deployed with. An option that the deployment would take away, or by which it would
 * make public what was not, is an error of the stack, with which `cdk deploy` and `cdk diff` stop, and `cdk destroy` does not. Where the
 * account cannot be asked, it is a warning.
 */
export async function compareWithDeployed(
  stack: Stack,
  configuration: Pick<Configuration, 'stage' | 'options' | 'allowed'>,
): Promise<void> {
  const { stage, options, allowed } = configuration;
  const { stackName } = stack;
  try {
    const template = await deployedTemplate(stackName);
    if (template === undefined) return;
    const deployed = optionsOfTemplate(template);
    const taken = takenOptions(deployed, options, allowed);
    if (taken.length === 0) return;
    const list = taken.map((name) => (deployed[name] ? `${name}=${deployed[name]}` : name)).join(', ');
    Annotations.of(stack).addError(
      `${stackName} is deployed with ${list}, which this deployment would take away. Bring ${stageFile(stage)} ` +
        '(infra/UPGRADING.md), or say that it is meant: ' +
        `-c allow=${taken.join(',')}`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    Annotations.of(stack).addWarningV2(
      'bugless:options-not-compared',
      `The options are not compared with those that ${stackName} is deployed with: ${reason}. ` +
        `What ${stageFile(stage)} lacks is taken away.`,
    );
  }
}

/** @returns undefined: there is no such stack. @throws Error saying why the account cannot be asked */
async function deployedTemplate(name: string): Promise<DeployedTemplate | undefined> {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  if (!account || !region) throw new Error('there are no AWS credentials');
  // Loading the clients is slow, and synthesis without credentials does not need them.
  const [{ CloudFormationClient }, { GetCallerIdentityCommand, STSClient }] = await Promise.all([
    import('@aws-sdk/client-cloudformation'),
    import('@aws-sdk/client-sts'),
  ]);
  const client = {
    region,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000 },
  };
  // `cdk --profile` is not handed on to the app.
  const { Account } = await new STSClient(client).send(new GetCallerIdentityCommand({}));
  if (Account !== account) {
    throw new Error(
      `the environment has credentials of the account ${Account}, not of ${account}; name the profile in AWS_PROFILE`,
    );
  }
  try {
    return await templateOfStack(new CloudFormationClient(client), name);
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}
