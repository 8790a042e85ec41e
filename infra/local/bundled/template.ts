import * as z from 'zod';
import type { TablePermission } from '../../../lib/http/routes.ts';

/** A Lambda function of a synthesized template. */
export interface TemplateFunction {
  /** its logical id */
  name: string;
  /** hash of the asset */
  asset: string;
  /** module and export, such as `index.handler` */
  handler: string;
  /** with references resolved */
  environment: Record<string, string>;
  /** what its role permits on the table */
  permissions: TablePermission[];
}

/** The functions and routes of a synthesized template. */
export interface TemplateInterface {
  functions: TemplateFunction[];
  /** the routes, each with the logical id of its function */
  routes: { routeKey: string; functionName: string }[];
}

const ref = z.object({ Ref: z.string() });
const arn = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });

const leadingKeys = z.object({
  'dynamodb:LeadingKeys': z.union([z.string().transform((one) => [one]), z.array(z.string())]),
});

const resource = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('AWS::Lambda::Function'),
    Properties: z.object({
      Code: z.object({ S3Key: z.string().regex(/^[0-9a-f]+\.zip$/) }),
      Handler: z.string(),
      Role: arn,
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
  z.object({
    Type: z.literal('AWS::IAM::Policy'),
    Properties: z.object({
      PolicyDocument: z.object({
        Statement: z.array(
          z.object({
            Action: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
            Effect: z.literal('Allow'),
            Resource: z.union([arn, z.literal('*')]),
            Condition: z.object({ 'ForAllValues:StringLike': leadingKeys }).optional(),
          }),
        ),
      }),
      Roles: z.array(ref),
    }),
  }),
  z.object({ Type: z.literal('AWS::DynamoDB::Table') }),
]);
type Resources = ReadonlyMap<string, z.infer<typeof resource>>;

const templateSchema = z.object({ Resources: z.record(z.string(), z.object({ Type: z.string() }).loose()) });

/** The types of `resource`; other resources are ignored. */
const TYPES: ReadonlySet<string> = new Set(resource.options.map((option) => option.shape.Type.value));

/**
 * Reads the functions and routes of a synthesized template.
 *
 * @param template the parsed JSON
 * @param tableName replaces references to the table
 * @throws Error when the template has another structure, or a reference cannot be resolved
 */
export function readTemplate(template: unknown, tableName: string): TemplateInterface {
  const all = Object.entries(templateSchema.parse(template).Resources).filter(([, { Type }]) =>
    TYPES.has(Type),
  );
  const resources: Resources = new Map(all.map(([id, content]) => [id, resource.parse(content)]));
  return { functions: functionsOf(resources, tableName), routes: routesOf(resources) };
}

function functionsOf(resources: Resources, tableName: string): TemplateFunction[] {
  return [...resources].flatMap(([name, content]) => {
    if (content.Type !== 'AWS::Lambda::Function') return [];
    const { Code, Handler, Role, Environment } = content.Properties;
    const variables = Object.entries(Environment.Variables).map(([key, value]) => {
      if (typeof value === 'string') return [key, value];
      if (!isTable(resources, value.Ref)) throw new Error(`The reference to ${value.Ref} cannot be resolved`);
      return [key, tableName];
    });
    return {
      name,
      asset: Code.S3Key.replace('.zip', ''),
      handler: Handler,
      environment: Object.fromEntries(variables),
      permissions: permissionsOf(resources, Role['Fn::GetAtt'][0]),
    };
  });
}

function routesOf(resources: Resources): TemplateInterface['routes'] {
  return [...resources].flatMap(([name, content]) => {
    if (content.Type !== 'AWS::ApiGatewayV2::Route') return [];
    const integration = resources.get(content.Properties.Target['Fn::Join'][1][1].Ref);
    if (integration?.Type !== 'AWS::ApiGatewayV2::Integration')
      throw new Error(`The route ${name} has no integration`);
    const [functionName] = integration.Properties.IntegrationUri['Fn::GetAtt'];
    return { routeKey: content.Properties.RouteKey, functionName };
  });
}

const isTable = (resources: Resources, id: string) => resources.get(id)?.Type === 'AWS::DynamoDB::Table';

function permissionsOf(resources: Resources, role: string): TablePermission[] {
  const statements = [...resources.values()].flatMap((policy) => {
    if (policy.Type !== 'AWS::IAM::Policy') return [];
    const isOfRole = policy.Properties.Roles.some(({ Ref }) => Ref === role);
    return isOfRole ? policy.Properties.PolicyDocument.Statement : [];
  });
  return statements.flatMap(({ Action, Resource, Condition }) => {
    if (Resource === '*' || !isTable(resources, Resource['Fn::GetAtt'][0])) return [];
    const partitions = Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'] ?? ['*'];
    return { actions: Action, partitions };
  });
}
