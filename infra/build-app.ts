import { App, type AppProps } from 'aws-cdk-lib';
import { groups } from '../functions/routes.ts';
import { BuglessStack } from './bugless-stack.ts';
import { readConfiguration } from './configuration.ts';

const { explorer: _, ...withoutExplorer } = groups;

/**
 * The CDK app with its one stack, `Bugless-<stage>`, so that several stages fit into one account.
 *
 * @throws ConfigurationError when the context is wrong
 */
export function buildApp(props: AppProps = {}): { app: App; stack: BuglessStack } {
  const app = new App(props);
  const configuration = readConfiguration(app.node.getAllContext());
  const stack = new BuglessStack(app, `Bugless-${configuration.stage}`, {
    description: `Bugless, ${configuration.stage}: Bugzilla's REST interface for products and comments`,
    configuration,
    groups: configuration.hasExplorer ? groups : withoutExplorer,
  });
  return { app, stack };
}
