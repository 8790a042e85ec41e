import * as z from 'zod';
import type { TablePermission } from '../../../lib/table/table.ts';

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

const ref = z.object({ Ref: z.string() }).transform(({ Ref }) => Ref);
const arn = z
  .object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) })
  .transform(({ 'Fn::GetAtt': [id] }) => id);
/** One or several. */
const texts = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })),
});

const lambdaFunction = z.object({
  Code: z.object({ S3Key: z.string().regex(/^[0-9a-f]+\.zip$/) }),
  Handler: z.string(),
  Role: arn,
  Environment: z.object({
    Variables: z.record(z.string(), z.union([z.string(), ref.transform((id) => ({ id }))])),
  }),
});
const integration = z.object({ IntegrationUri: arn });
const route = z.object({
  RouteKey: z.string(),
  Target: z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('integrations/'), ref])]) }),
});
const policy = z.object({ PolicyDocument: z.unknown(), Roles: z.array(z.unknown()) });
const policyDocument = z.object({
  Statement: z.array(
    z.object({
      Action: texts,
      Effect: z.literal('Allow'),
      /** a logical id, or `*` */
      Resource: z.union([arn, z.literal('*')]),
      Condition: z
        .object({ 'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': texts }).optional() })
        .optional(),
    }),
  ),
});

/**
 * Reads the routes of a synthesized template, and their functions.
 *
 * @param template the parsed JSON
 * @param tableName replaces references to the table
 * @throws Error when the template has another structure, or a reference cannot be resolved
 */
export function readTemplate(template: unknown, tableName: string) {
  const { Resources } = templateSchema.parse(template);
  /** The properties of the resources of a type, by logical id. */
  const ofType = <T>(type: string, properties: z.ZodType<T>): Map<string, T> => {
    const found = Object.entries(Resources).filter(([, { Type }]) => Type === type);
    return new Map(found.map(([id, { Properties }]) => [id, properties.parse(Properties)]));
  };
  const tables = ofType('AWS::DynamoDB::Table', z.unknown());
  const policies = [...ofType('AWS::IAM::Policy', policy).values()];
  const integrations = ofType('AWS::ApiGatewayV2::Integration', integration);

  const buses = ofType('AWS::Events::EventBus', z.unknown());
  /** The entries of a variable; none where it names the event bus, which is not on this machine. */
  const resolve = (key: string, value: string | { id: string }): [string, string][] => {
    if (typeof value === 'string') return [[key, value]];
    if (buses.has(value.id)) return [];
    if (!tables.has(value.id)) throw new Error(`The reference to ${value.id} cannot be resolved`);
    return [[key, tableName]];
  };
  const permissionsOf = (role: string): TablePermission[] =>
    policies
      .filter(({ Roles }) => Roles.some((one) => ref.safeParse(one).data === role))
      .flatMap(({ PolicyDocument }) => policyDocument.parse(PolicyDocument).Statement)
      .filter(({ Resource }) => tables.has(Resource))
      .map(({ Action, Condition }) => ({
        actions: Action,
        partitions: Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? ['*'],
      }));
  const called = new Set([...integrations.values()].map(({ IntegrationUri }) => IntegrationUri));
  const functions = [...ofType('AWS::Lambda::Function', z.unknown())]
    .filter(([name]) => called.has(name))
    .map(([name, properties]) => ({ name, ...lambdaFunction.parse(properties) }));
  const routes = ofType('AWS::ApiGatewayV2::Route', route);
  return {
    /** those that routes call; others are called by the stream of the table or by a queue */
    functions: functions.map(({ name, Code, Handler, Role, Environment }) => ({
      name,
      asset: Code.S3Key.replace('.zip', ''),
      handler: Handler,
      environment: Object.fromEntries(
        Object.entries(Environment.Variables).flatMap(([key, value]) => resolve(key, value)),
      ),
      permissions: permissionsOf(Role),
    })),
    /** each with the logical id of its function */
    routes: [...routes].map(([name, { RouteKey, Target }]) => {
      const [, [, target]] = Target['Fn::Join'];
      const functionName = integrations.get(target)?.IntegrationUri;
      if (functionName === undefined) throw new Error(`The route ${name} has no integration`);
      return { routeKey: RouteKey, functionName };
    }),
  };
}
