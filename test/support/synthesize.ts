import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuglessStack } from '../../infra/stack/bugless-stack.ts';
import { buildApp } from '../../infra/stack/build-app.ts';

export interface Resource {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  // biome-ignore lint/suspicious/noExplicitAny: resources have many types
  Properties: any;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** A synthesized stack. */
export interface Synthesized {
  stack: BuglessStack;
  template: Template;
  /** the resources of a type with their logical ids */
  ofType(type: string): [string, Resource][];
  /** the routes, each with the logical id of its function */
  routes: { routeKey: string; functionName: string }[];
  /** of each function, with a name for the table of the stack */
  environments: Record<string, string>[];
  /** what `cdk` prints: level and text */
  messages: string[];
}

/** The context of cdk.json: CDK's feature flags. */
const { context: flags } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));

/** Context without bundling. */
export const withoutBundles = { ...flags, 'aws:cdk:bundling-stacks': [] };

/**
 * Synthesizes the stack without its bundles, and without CDK's validation of templates, which takes longer than the rest
 * and has a test of its own.
 *
 * @param context as `-c` gives it
 * @param stageFile content of the stage file; null without a file
 */
export function synthesized(
  context: Record<string, unknown> = {},
  stageFile: Record<string, unknown> | null = {},
): Synthesized {
  const { app, stack } = buildApp(
    { context: { ...withoutBundles, ...context }, builtinCloudFormationValidation: false },
    () => stageFile ?? undefined,
  );
  const artifact = app.synth().getStackByName(stack.stackName);
  const template = artifact.template as Template;
  const ofType = (type: string) =>
    Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
  const tables = ofType('AWS::DynamoDB::Table').map(([id]) => id);
  return {
    stack,
    template,
    ofType,
    routes: ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => {
      const integration = template.Resources[Properties.Target['Fn::Join'][1][1].Ref];
      const functionName = integration?.Properties.IntegrationUri['Fn::GetAtt'][0];
      return { routeKey: Properties.RouteKey, functionName };
    }),
    environments: ofType('AWS::Lambda::Function').map(([, { Properties }]) => {
      const { TABLE_NAME, ...others } = Properties.Environment.Variables;
      return { ...others, TABLE_NAME: tables.includes(TABLE_NAME.Ref) ? 'bugless' : TABLE_NAME };
    }),
    messages: artifact.messages.map(({ level, entry }) => `${level}: ${entry.data}`),
  };
}
