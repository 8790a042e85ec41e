import { App, type AppProps } from 'aws-cdk-lib';
import { groupsExcept } from '../../functions/groups.ts';
import { BuglessStack } from './bugless-stack.ts';
import { readConfiguration } from './configuration.ts';

/**
 * The CDK app with its one stack, `Bugless-<stage>`. Stacks of several stages fit into one account.
 *
 * @throws ConfigurationError when the context is invalid
 */
export function buildApp(props: AppProps = {}): { app: App; stack: BuglessStack } {
  const app = new App(props);
  const configuration = readConfiguration(app.node.getAllContext());
  const stack = new BuglessStack(app, `Bugless-${configuration.stage}`, {
    description: `Bugless, ${configuration.stage}: Bugzilla's REST interface for products and comments`,
    configuration,
    groups: groupsExcept(configuration.leftOutGroups),
  });
  return { app, stack };
}
