import { App, type AppProps } from 'aws-cdk-lib';
import { groups } from '../functions/routes.ts';
import { BuglessStack } from './bugless-stack.ts';
import { type Configuration, readConfiguration } from './configuration.ts';

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
    groups: deployedGroups(configuration),
  });
  return { app, stack };
}

function deployedGroups({ hasExplorer, hasBugs }: Configuration): typeof groups {
  const leftOut = new Set([...(hasExplorer ? [] : ['explorer']), ...(hasBugs ? [] : ['bugs'])]);
  return Object.fromEntries(Object.entries(groups).filter(([group]) => !leftOut.has(group)));
}
