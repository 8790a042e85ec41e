import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuglessStack } from '../../infra/stack/bugless-stack.ts';
import { buildApp } from '../../infra/stack/build-app.ts';
import { isLong } from './sample.ts';

export interface Resource {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  DependsOn?: string[];
  // biome-ignore lint/suspicious/noExplicitAny: resources have many types
  Properties: any;
}

export interface Template {
  Resources: Record<string, Resource>;
  Description: string;
  Metadata?: { BuglessOptions?: Record<string, string> };
  Outputs: Record<string, { Value: unknown }>;
}

/** A synthesized stack. */
export interface Synthesized {
  stack: BuglessStack;
  template: Template;
  /** the resources of a type with their logical ids */
  ofType(type: string): [string, Resource][];
  /** what `cdk` prints: level and text */
  messages: string[];
}

/** The context of cdk.json: CDK's feature flags. */
const { context: flags } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));

/** Context without bundling. */
export const withoutBundles = { ...flags, 'aws:cdk:bundling-stacks': [] };

/** What checks a template: in a run with `RUNS` CDK, too, which takes ten times as long. */
export const CHECKS = isLong ? "cdk-nag's rules and CDK's validation of templates" : "cdk-nag's rules";

/** Properties of an app whose template is checked. */
export const checked = (context: Record<string, unknown>) => ({
  context: { ...withoutBundles, ...context },
  builtinCloudFormationValidation: isLong,
});

/** The environment in which `cdk` does not validate templates, which takes four of its six seconds and has a test of its own. */
export const WITHOUT_VALIDATION = { CDK_VALIDATION: 'false' };

/** Stacks by their context and stage file: tests read them only. */
const stacks = new Map<string, Synthesized>();

/** `synthesize`, once for a context and a stage file, in the environment of the tests. */
export function synthesized(
  context: Record<string, unknown> = {},
  stageFile: Record<string, unknown> | null = {},
): Synthesized {
  const key = JSON.stringify([context, stageFile]);
  const known = stacks.get(key) ?? synthesize(context, stageFile);
  stacks.set(key, known);
  return known;
}

/**
 * Synthesizes the stack, without its bundles, and without CDK's validation of templates, which takes longer than the rest
 * and has a test of its own.
 *
 * @param context as `-c` gives it
 * @param stageFile content of the stage file; null without a file
 */
export function synthesize(
  context: Record<string, unknown> = {},
  stageFile: Record<string, unknown> | null = {},
): Synthesized {
  const { app, stack } = buildApp(
    { context: { ...withoutBundles, ...context }, builtinCloudFormationValidation: false },
    () => stageFile ?? undefined,
  );
  const artifact = app.synth().getStackByName(stack.stackName);
  const template = artifact.template as Template;
  return {
    stack,
    template,
    ofType: (type) => Object.entries(template.Resources).filter(([, resource]) => resource.Type === type),
    messages: artifact.messages.map(({ level, entry }) => `${level}: ${entry.data}`),
  };
}
