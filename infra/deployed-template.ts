import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import * as z from 'zod/mini';

const schema = z.object({
  Metadata: z._default(z.record(z.string(), z.unknown()), {}),
  Resources: z._default(z.record(z.string(), z.unknown()), {}),
});

/** The parts of a deployed template that are read. */
export type DeployedTemplate = z.output<typeof schema>;

/**
 * Reads the template of a deployed stack.
 *
 * @throws Error when CloudFormation refuses, or the template is not JSON
 */
export async function templateOfStack(client: CloudFormationClient, name: string): Promise<DeployedTemplate> {
  const { GetTemplateCommand } = await import('@aws-sdk/client-cloudformation');
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: name }));
  return schema.parse(JSON.parse(TemplateBody));
}

const functionResource = z.object({
  Type: z.literal('AWS::Lambda::Function'),
  Properties: z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) }),
});

/** The environment variables of the functions of a template that are literal texts. */
export function settingsOfTemplate({ Resources }: DeployedTemplate): Record<string, string> {
  const variables = Object.values(Resources).flatMap((resource) => {
    const parsed = functionResource.safeParse(resource);
    return parsed.success ? Object.entries(parsed.data.Properties.Environment.Variables) : [];
  });
  return Object.fromEntries(
    variables.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
