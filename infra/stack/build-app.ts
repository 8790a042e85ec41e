import { App, type AppProps } from 'aws-cdk-lib';
import { groupsExcept } from '../../functions/groups.ts';
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
  const leftOut = leftOutBy(configuration);
  const context = leftOut.length === 0 ? {} : { LEFT_OUT_GROUPS: leftOut.join(',') };
  const stack = new BuglessStack(app, `Bugless-${configuration.stage}`, {
    description: `Bugless, ${configuration.stage}: Bugzilla's REST interface for products and comments`,
    configuration: { ...configuration, settings: { ...configuration.settings, ...context } },
    groups: groupsExcept(leftOut),
  });
  return { app, stack };
}

/** The groups that a deployment does without. */
function leftOutBy({ hasExplorer, hasBugs }: Configuration): string[] {
  return [...(hasExplorer ? [] : ['explorer']), ...(hasBugs ? [] : ['bugs'])];
}
