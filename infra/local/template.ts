import * as z from 'zod';

/** A function as a synthesized stack describes it. */
export interface TemplateFunction {
  /** its logical id */
  name: string;
  /** the asset's hash */
  asset: string;
  /** the asset's module and what it exports, as in `index.handler` */
  handler: string;
  /** with references resolved */
  environment: Record<string, string>;
}

/** What the local gateway needs of a stack. */
export interface TemplateInterface {
  functions: TemplateFunction[];
  /** which function, by name, each route reaches */
  routes: { routeKey: string; functionName: string }[];
}

const ref = z.object({ Ref: z.string() });
const arn = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });

const resource = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('AWS::Lambda::Function'),
    Properties: z.object({
      Code: z.object({ S3Key: z.string().regex(/^[0-9a-f]+\.zip$/) }),
      Handler: z.string(),
      Environment: z.object({ Variables: z.record(z.string(), z.union([z.string(), ref])) }),
    }),
  }),
  z.object({
    Type: z.literal('AWS::ApiGatewayV2::Integration'),
    Properties: z.object({ IntegrationUri: arn }),
  }),
  z.object({
    Type: z.literal('AWS::ApiGatewayV2::Route'),
    Properties: z.object({
      RouteKey: z.string(),
      Target: z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('integrations/'), ref])]) }),
    }),
  }),
  z.object({ Type: z.literal('AWS::DynamoDB::Table') }),
]);

const templateSchema = z.object({ Resources: z.record(z.string(), z.object({ Type: z.string() }).loose()) });

/** The types of `resource`; others are of no interest here. */
const TYPES: ReadonlySet<string> = new Set(resource.options.map((option) => option.shape.Type.value));

/**
 * Reads from a synthesized template which route reaches which function, and what each function runs.
 *
 * @param template as JSON gives it
 * @param tableName what a reference to the table stands for
 * @throws Error when the template is built in another way, or refers to what is not in it
 */
export function readTemplate(template: unknown, tableName: string): TemplateInterface {
  const all = Object.entries(templateSchema.parse(template).Resources).filter(([, { Type }]) =>
    TYPES.has(Type),
  );
  const resources = new Map(all.map(([id, content]) => [id, resource.parse(content)]));

  const resolved = (value: string | z.infer<typeof ref>): string => {
    if (typeof value === 'string') return value;
    if (resources.get(value.Ref)?.Type === 'AWS::DynamoDB::Table') return tableName;
    throw new Error(`What does ${value.Ref} stand for?`);
  };

  const functions: TemplateFunction[] = [];
  const routes: TemplateInterface['routes'] = [];
  for (const [name, content] of resources) {
    if (content.Type === 'AWS::Lambda::Function') {
      const { Code, Handler, Environment } = content.Properties;
      const variables = Object.entries(Environment.Variables).map(([key, value]) => [key, resolved(value)]);
      functions.push({
        name,
        asset: Code.S3Key.replace('.zip', ''),
        handler: Handler,
        environment: Object.fromEntries(variables),
      });
    }
    if (content.Type === 'AWS::ApiGatewayV2::Route') {
      const integration = resources.get(content.Properties.Target['Fn::Join'][1][1].Ref);
      if (integration?.Type !== 'AWS::ApiGatewayV2::Integration') throw new Error(`${name} leads nowhere`);
      const [functionName] = integration.Properties.IntegrationUri['Fn::GetAtt'];
      routes.push({ routeKey: content.Properties.RouteKey, functionName });
    }
  }
  return { functions, routes };
}
