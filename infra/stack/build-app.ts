import { Annotations, App, type AppProps } from 'aws-cdk-lib';
import { endpointGroupsExcept } from '../../functions/endpoint-groups.ts';
import { VERSION } from '../../lib/version.ts';
import { BuglessStack } from './bugless-stack.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { readStageFile, type StageReader } from './stage-file.ts';

/**
 * The CDK app with its one stack, `Bugless-<stage>`. Stacks of several stages fit into one account.
 *
 * @param readStage returns the options of a stage; by default those of its file in infra/stages/
 * @throws ConfigurationError when the context or the stage's file is invalid
 */
export function buildApp(
  props: AppProps = {},
  readStage: StageReader = readStageFile,
): { app: App; stack: BuglessStack; configuration: Configuration } {
  const app = new App(props);
  const configuration = readConfiguration(app.node.getAllContext(), readStage);
  const stack = new BuglessStack(app, `Bugless-${configuration.stage}`, {
    description: `Bugless, ${configuration.stage}, version ${VERSION}: Bugzilla's REST interface`,
    configuration,
    endpointGroups: endpointGroupsExcept(configuration.leftOutGroups),
  });
  // Warnings, because `cdk` does not print annotations of level info.
  for (const { id, text } of configuration.warnings) Annotations.of(stack).addWarningV2(id, text);
  return { app, stack, configuration };
}
