import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { withNagChecks } from '../../infra/app.ts';
import { readTemplate } from '../../infra/local/bundled/template.ts';
import { buildApp } from '../../infra/stack/build-app.ts';
import { deployedPermissions } from '../../infra/stack/bundled-function.ts';
import released from '../../infra/stack/released-permissions.json' with { type: 'json' };
import { gatewayRouteKeys } from '../../lib/http/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import { type TablePermission, tableDefinition } from '../../lib/table/table.ts';
import { VERSION } from '../../lib/version.ts';
import { isLong } from '../support/sample.ts';
import {
  CHECKS,
  checked,
  type Resource,
  type Synthesized,
  synthesize,
  synthesized,
  type Template,
} from '../support/synthesize.ts';

/** `npm test` checks the fullest deployment, a run with `RUNS` each. */

const CHANGELOG = readFileSync(join(import.meta.dirname, '../../infra/CHANGELOG.md'), 'utf8');

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0000';

let prod: Synthesized;
beforeAll(() => {
  prod = synthesized();
});

/** The logical id of the function of a group. */
function functionOf({ stack }: Synthesized, group: string): string {
  const target = stack.functions.get(group);
  if (target === undefined) throw new Error(`No function for ${group}`);
  return stack.resolve(target.functionArn)['Fn::GetAtt'][0];
}

describe('the routes of the stack', () => {
  it('integrate the function of their group, and there are no others', () => {
    const declared = endpointGroups.flatMap(({ name, routes }) =>
      gatewayRouteKeys(routes).map((key) => `${key} -> ${functionOf(prod, name)}`),
    );
    const deployed = readTemplate(prod.template, 'any').routes.map(
      (route) => `${route.routeKey} -> ${route.functionName}`,
    );
    expect(deployed.toSorted()).toEqual(declared.toSorted());
    expect(prod.ofType('AWS::Lambda::Function')).toHaveLength(endpointGroups.length);
  });

  it('are the only permitted invokers of a function', () => {
    const permissions = prod.ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
    const [[api]] = prod.ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
    for (const { name } of endpointGroups) {
      const own = permissions.filter((one) => one.FunctionName['Fn::GetAtt'][0] === functionOf(prod, name));
      expect(own).toHaveLength(1);
      expect(own[0].Principal).toBe('apigateway.amazonaws.com');
      const arn = own[0].SourceArn['Fn::Join'][1];
      // `/*/*` takes in `$default`, which `/*/*/*` does not
      expect(arn.slice(-2)).toEqual([{ Ref: api }, '/*/*']);
    }
    expect(permissions).toHaveLength(endpointGroups.length);
    expect(prod.ofType('AWS::Lambda::Url')).toEqual([]);
    expect(prod.ofType('AWS::Lambda::EventSourceMapping')).toEqual([]);
  });

  it('use payload format 2.0, the $default stage, and no CORS of the gateway', () => {
    for (const [, { Properties }] of prod.ofType('AWS::ApiGatewayV2::Integration')) {
      expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    }
    const [[, api]] = prod.ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
    expect(api.Properties.ProtocolType).toBe('HTTP');
    expect(api.Properties).not.toHaveProperty('CorsConfiguration');
    const stages = prod.ofType('AWS::ApiGatewayV2::Stage').map(([, { Properties }]) => Properties);
    expect(stages).toMatchObject([{ StageName: '$default', AutoDeploy: true }]);
  });

  it('include the explorer, unless the context disables it', () => {
    const keys = (stack: Synthesized) =>
      readTemplate(stack.template, 'any').routes.map((one) => one.routeKey);
    const all = keys(prod);
    expect(all).toContain('GET /');
    for (const explorer of ['false', false]) {
      const rest = keys(synthesized({ explorer }));
      expect(rest).toHaveLength(all.length - 18);
      expect(rest.filter((key) => /\/(?:api)?$|explorer|openapi|buglist/.test(key))).toEqual([]);
    }
  });

  it('include those for bugs, unless the context disables them', () => {
    const { routes, functions } = readTemplate(synthesized({ bugs: 'false' }).template, 'any');
    const keys = routes.map((one) => one.routeKey);
    // The OpenAPI document and OPTIONS must omit them.
    for (const { environment } of functions)
      expect(readSettings(environment).LEFT_OUT_GROUPS).toEqual(['bugs']);
    expect(keys).toContain('ANY /rest/bug/{id_or_alias}/comment');
    expect(keys).not.toContain('POST /rest/bug');
  });

  it('are throttled as a whole: settings of single routes would remain after their removal', () => {
    const throttleOf = ({ ofType }: Synthesized) => {
      const [[, stage]] = ofType('AWS::ApiGatewayV2::Stage') as [[string, Resource]];
      expect(stage.Properties).not.toHaveProperty('RouteSettings');
      return stage.Properties.DefaultRouteSettings;
    };
    expect(throttleOf(prod)).toEqual({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 300 });
    expect(throttleOf(synthesized({}, { requestsPerSecond: 20 })).ThrottlingRateLimit).toBe(20);
  });

  it('are logged without fields that may contain credentials', () => {
    const [[, stage]] = prod.ofType('AWS::ApiGatewayV2::Stage') as [[string, Resource]];
    const format = stage.Properties.AccessLogSettings.Format;
    expect(JSON.parse(format)).toMatchObject({
      status: '$context.status',
      source: '$context.identity.sourceIp',
      user_agent: '$context.identity.userAgent',
    });
    expect(format).not.toMatch(/query|header|path|authorizer/i);
  });
});

/** Whether a statement allows all that another one does, in one transaction. */
const covers = (statement: TablePermission, other: TablePermission) =>
  other.actions.every((action) => statement.actions.includes(action)) &&
  other.partitions.every((partition) => statement.partitions.includes(partition));

const partitionsByAction = (statements: readonly TablePermission[]) =>
  statements
    .flatMap(({ actions, partitions }) => actions.map((action) => ({ action, partitions })))
    .sort((a, b) => (a.action < b.action ? -1 : 1));

describe('a function of the stack', () => {
  it('has the permissions of its group on its partitions, its log group and X-Ray, and no others', () => {
    const [[table]] = prod.ofType('AWS::DynamoDB::Table') as [[string, Resource]];
    const logs = prod.ofType('AWS::Logs::LogGroup').map(([id]) => id);
    for (const group of endpointGroups) {
      const { name, permissions } = group;
      const statements = statementsOf(functionOf(prod, name));
      expect(statements.every(({ Effect }) => Effect === 'Allow')).toBe(true);
      const of = (isIt: (resource: string) => boolean) =>
        statements.filter(({ Resource }) => isIt(Resource === '*' ? '*' : Resource['Fn::GetAtt'][0]));
      const [onTable, onLog, onAll] = [
        of((id) => id === table),
        of((id) => logs.includes(id)),
        of((id) => id === '*'),
      ];
      expect(
        partitionsByAction(
          onTable.map(({ Action, Condition }) => ({
            actions: [Action].flat(),
            partitions: [Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys']].flat(),
          })),
        ),
      ).toEqual(partitionsByAction(deployedPermissions(group)));
      // IAM compares all keys of a transaction with a statement, so an action must not be divided.
      const actions = permissions.flatMap((one) => one.actions);
      expect(actions).toEqual([...new Set(actions)]);
      expect(onLog.flatMap(({ Action }) => Action).toSorted()).toEqual([
        'logs:CreateLogStream',
        'logs:PutLogEvents',
      ]);
      expect(onAll.flatMap(({ Action }) => Action).toSorted()).toEqual([
        'xray:PutTelemetryRecords',
        'xray:PutTraceSegments',
      ]);
      expect(statements).toHaveLength(onTable.length + onLog.length + onAll.length);
    }
  });

  it('is changed after its permissions, which include those of the releases that it may replace', () => {
    for (const group of endpointGroups) {
      const { DependsOn = [] } = prod.template.Resources[functionOf(prod, group.name)] ?? {};
      const policies = prod
        .ofType('AWS::IAM::Policy')
        .map(([id]) => id)
        .filter((id) => DependsOn.includes(id));
      expect(policies).toHaveLength(1);
      for (const { permissions } of released) {
        const former: Record<string, readonly TablePermission[]> = permissions;
        for (const statement of former[group.name] ?? []) {
          expect(deployedPermissions(group).some((one) => covers(one, statement))).toBe(true);
        }
      }
    }
  });

  it('keeps permissions that it needs no longer', () => {
    const [first] = endpointGroups;
    if (first === undefined) throw new Error('There are no groups');
    const former = released.flatMap(({ permissions }) => permissions.products);
    for (const statement of former) {
      expect(deployedPermissions({ ...first, permissions: [] })).toContainEqual(statement);
    }
  });

  it('is released with its permissions recorded', () => {
    const last = released.at(-1);
    const isReleased = last?.version === VERSION;
    const all = [...endpointGroups, ...consumers];
    const current = Object.fromEntries(all.map(({ name, permissions }) => [name, permissions]));
    if (isReleased) expect(last.permissions).toEqual(current);
    const releases = CHANGELOG.match(/^## \d+\.\d+\.\d+$/gm) ?? [];
    expect(releases[0]).toBe(`## ${VERSION}`);
    expect(releases.slice(0, 2)).toContain(`## ${last?.version}`);
  });

  it('can write neither users nor API keys, unless it administrates them, or signs in', () => {
    for (const { name, permissions } of endpointGroups) {
      if (name === 'administration' || name === 'account') continue;
      const written = permissions
        .filter(({ actions }) => actions.some((action) => /Put|Update|Delete/.test(action)))
        .flatMap(({ partitions }) => partitions);
      expect(written.filter((pattern) => /^(\*|USER|APIKEY|GROUP)/.test(pattern))).toEqual([]);
    }
  });

  it('can neither scan nor delete nor update the table', () => {
    const actions = endpointGroups.flatMap(({ name }) =>
      statementsOf(functionOf(prod, name)).flatMap(({ Action }) => [Action].flat()),
    );
    expect(actions).toContain('dynamodb:GetItem');
    expect(actions.filter((action) => /\*|Scan|Table|PartiQL|Backup|Stream$/.test(action))).toEqual([
      ...actions.filter((action) => action === 'logs:CreateLogStream'),
    ]);
  });

  it('has a valid environment', () => {
    for (const context of [{}, { INSIDER_GROUP: '', REQUIRE_LOGIN: true, DEFAULT_MILESTONE: '---' }]) {
      const { functions } = readTemplate(synthesized(context).template, 'bugless');
      expect(functions).toHaveLength(endpointGroups.length);
      for (const { environment } of functions) {
        const given = Object.keys(context).length > 0;
        expect(readSettings(environment)).toMatchObject({
          TABLE_NAME: 'bugless',
          INSIDER_GROUP: given ? '' : 'insiders',
          REQUIRE_LOGIN: given,
          DEFAULT_MILESTONE: given ? '---' : '—',
          MAX_WRITE_REQUEST_UNITS: 1_000,
        });
        expect(environment).not.toHaveProperty('DYNAMODB_ENDPOINT');
      }
    }
  });

  it('has the expected runtime, traces, a timeout below what calls it, and a log group with retention', () => {
    const { ofType, template } = synthesized({}, { mail: { from: 'bugs@example.org' } });
    for (const [id, { Properties, DependsOn = [] }] of ofType('AWS::Lambda::Function')) {
      expect(Properties).toMatchObject({
        ...{ Runtime: 'nodejs24.x', Architectures: ['arm64'], TracingConfig: { Mode: 'Active' } },
        // Without the platform logs of each invocation.
        LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
      });
      // That of API Gateway, and of queues and the stream.
      expect(Properties.Timeout).toBeLessThanOrEqual(/^(events|mail)/.test(id) ? 60 : 29);
      const { Ref: log } = Properties.LoggingConfig.LogGroup;
      expect(template.Resources[log]?.Properties.RetentionInDays).toBeGreaterThan(0);
      const policies = ofType('AWS::IAM::Policy').filter(([policy]) => DependsOn.includes(policy));
      expect(policies.map(([, policy]) => policy.Properties.Roles)).toEqual([
        [{ Ref: Properties.Role['Fn::GetAtt'][0] }],
      ]);
    }
  });

  // biome-ignore lint/suspicious/noExplicitAny: IAM statements have many shapes
  function statementsOf(functionId: string): any[] {
    const { Resources } = prod.template;
    const role: string = Resources[functionId]?.Properties.Role['Fn::GetAtt'][0] ?? 'none';
    const properties = Resources[role]?.Properties;
    expect(properties).not.toHaveProperty('ManagedPolicyArns');
    const attached = prod
      .ofType('AWS::IAM::Policy')
      .filter(([, policy]) => policy.Properties.Roles.some((one: { Ref: string }) => one.Ref === role))
      .map(([, policy]) => policy.Properties);
    return [...(properties.Policies ?? []), ...attached].flatMap((one) => one.PolicyDocument.Statement);
  }
});

describe('the table of the stack', () => {
  const tableOf = ({ ofType }: Synthesized) => {
    const tables = ofType('AWS::DynamoDB::Table').map(([, resource]) => resource);
    expect(tables).toHaveLength(1);
    return tables[0] as Resource;
  };

  it('is retained, recoverable and encrypted', () => {
    expect(tableOf(prod)).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
      },
    });
  });

  it.each(['dev', 'dev-anna'])('is deleted with its stack in the stage %s', (stage) => {
    const table = tableOf(synthesized({ stage }));
    expect(table.DeletionPolicy).toBe('Delete');
    expect(table.Properties.DeletionProtectionEnabled ?? false).toBe(false);
  });

  it.each(['prod', 'test', 'developers'])('is retained in the stage %s', (stage) => {
    expect(tableOf(synthesized({ stage })).DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('has the key schema of the code, and is paid per request', () => {
    const { partitionKey, sortKey, timeToLiveAttribute } = tableDefinition;
    expect(tableOf(prod).Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
    });
    expect(tableOf(prod).Properties).not.toHaveProperty('GlobalSecondaryIndexes');
  });
});

describe('the stack', () => {
  const deployments = [
    [
      {
        ...{ alarmEmail: 'team@example.org', monthlyBudget: 20, table: 'restored', kmsKey: KEY },
        ...{ monthlyBackups: 'true', expectsTraffic: 'true', reservedConcurrency: '5' },
      },
    ],
    [
      {
        alarmTopic: 'arn:aws:sns:eu-central-1:123456789012:on-call',
        maxWriteRequestUnits: 'none',
        bugs: 'false',
      },
    ],
    [{ stage: 'prod' }],
    [{ stage: 'dev' }],
    [{ domain: 'bugs.example.org', certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/1' }],
  ] as const;
  it.each(isLong ? deployments : deployments.slice(0, 1))(`passes ${CHECKS} with %j`, (context) => {
    const { app } = buildApp(checked(context));
    expect(() => withNagChecks(app).synth()).not.toThrow();
  });

  it('encrypts all that it keeps with the key of an option, which functions may use by DynamoDB and SQS', () => {
    const mail = { from: 'bugs@example.org' };
    const { template, ofType } = synthesized({}, { kmsKey: KEY, mail, alarmEmail: 'team@example.org' });
    const keys: Record<string, (properties: Resource['Properties']) => unknown> = {
      'AWS::DynamoDB::Table': ({ SSESpecification }) => SSESpecification.KMSMasterKeyId,
      'AWS::SQS::Queue': ({ KmsMasterKeyId }) => KmsMasterKeyId,
      'AWS::SNS::Topic': ({ KmsMasterKeyId }) => KmsMasterKeyId,
      'AWS::Events::EventBus': ({ KmsKeyIdentifier }) => KmsKeyIdentifier,
      'AWS::Logs::LogGroup': ({ KmsKeyId }) => KmsKeyId,
    };
    for (const [type, keyOf] of Object.entries(keys)) {
      const found = ofType(type).map(([, { Properties }]) => keyOf(Properties));
      expect([type, new Set(found)]).toEqual([type, new Set([KEY])]);
    }
    const permitted = JSON.stringify(template.Resources).split('kms:ViaService').length - 1;
    expect(permitted).toBe(ofType('AWS::Lambda::Function').length);
  });

  it('keeps concurrency for each function, backs up monthly, and rings when nobody asks, on request', () => {
    const options = { reservedConcurrency: 20, monthlyBackups: true, expectsTraffic: true };
    const { ofType } = synthesized({}, options);
    const reserved = ofType('AWS::Lambda::Function').map(
      ([, { Properties }]) => Properties.ReservedConcurrentExecutions,
    );
    expect(new Set(reserved)).toEqual(new Set([20]));
    const [rule] = ofType('AWS::Backup::BackupPlan').map(([, { Properties }]) => Properties.BackupPlan)[0]
      .BackupPlanRule;
    expect(rule).toMatchObject({
      Lifecycle: { DeleteAfterDays: 365 },
      ScheduleExpression: 'cron(0 3 1 * ? *)',
    });
    const alarms = (stack: Synthesized) =>
      stack.ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith('AlarmsNoRequests'));
    expect(alarms(prod)).toEqual([]);
    expect(alarms(synthesized({}, options)).map(([, { Properties }]) => Properties)).toMatchObject([
      { ComparisonOperator: 'LessThanOrEqualToThreshold', Threshold: 0, TreatMissingData: 'breaching' },
    ]);
  });

  it('has a custom domain if the context sets one', () => {
    const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/1';
    const { ofType, template } = synthesized({ domain: 'bugs.example.org', certificate });
    const [[, domain]] = ofType('AWS::ApiGatewayV2::DomainName') as [[string, Resource]];
    expect(domain.Properties.DomainName).toBe('bugs.example.org');
    expect(ofType('AWS::ApiGatewayV2::ApiMapping')).toHaveLength(1);
    expect(template.Outputs).toHaveProperty('PointTo');
    expect(template.Outputs['Url']?.Value).toBe('https://bugs.example.org');
  });

  it('has its default endpoint, beside a custom domain only on request', () => {
    const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/1';
    const domain = { domain: 'bugs.example.org', certificate };
    const isClosed = ({ ofType }: Synthesized) =>
      ofType('AWS::ApiGatewayV2::Api').map(([, { Properties }]) => Properties.DisableExecuteApiEndpoint);
    expect(isClosed(prod)).toEqual([false]);
    expect(isClosed(synthesized({}, domain))).toEqual([true]);
    expect(isClosed(synthesized({}, { ...domain, keepDefaultEndpoint: true }))).toEqual([false]);
  });

  it('has no budget where CloudFormation has none, with a warning', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-central-2');
    const { ofType, messages } = synthesize({}, { monthlyBudget: 20, alarmEmail: 'team@example.org' });
    vi.unstubAllEnvs();
    expect(ofType('AWS::Budgets::Budget')).toEqual([]);
    expect(messages).toContainEqual(expect.stringContaining('no budgets in eu-central-2'));
  });

  it('has routes that wait for the permission to call their function', () => {
    const permissions = new Set(prod.ofType('AWS::Lambda::Permission').map(([id]) => id));
    for (const [, { DependsOn = [] }] of prod.ofType('AWS::ApiGatewayV2::Route')) {
      expect(DependsOn.some((id) => permissions.has(id))).toBe(true);
    }
  });

  it('says its version, and the format of its table', () => {
    expect(prod.template.Description).toContain(VERSION);
    expect(JSON.stringify(prod.template.Outputs['TableFormat'])).toContain('admin -- upgrade --stack');
  });

  it('has a budget on request', () => {
    expect(prod.ofType('AWS::Budgets::Budget')).toEqual([]);
    const { ofType } = synthesized({}, { monthlyBudget: 20, alarmEmail: 'team@example.org' });
    const [[, budget]] = ofType('AWS::Budgets::Budget') as [[string, Resource]];
    expect(budget.Properties.Budget.BudgetLimit).toEqual({ Amount: 20, Unit: 'USD' });
    const subscribers = budget.Properties.NotificationsWithSubscribers.flatMap(
      (one: { Subscribers: object[] }) => one.Subscribers,
    );
    expect(new Set(subscribers.map((one: { Address: string }) => one.Address))).toEqual(
      new Set(['team@example.org']),
    );
  });

  it('is read-only on request', () => {
    const readOnlyOf = ({ template }: Synthesized) =>
      new Set(
        readTemplate(template, 'bugless').functions.map(
          ({ environment }) => readSettings(environment).READ_ONLY,
        ),
      );
    expect(readOnlyOf(prod)).toEqual(new Set([false]));
    expect(readOnlyOf(synthesized({}, { readOnly: true }))).toEqual(new Set([true]));
  });

  it('has outputs for its URL, its table and its dashboard', () => {
    const [[api]] = prod.ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
    const [[table]] = prod.ofType('AWS::DynamoDB::Table') as [[string, Resource]];
    expect(prod.template.Outputs).toMatchObject({
      Url: { Value: { 'Fn::GetAtt': [api, 'ApiEndpoint'] } },
      TableName: { Value: { Ref: table } },
    });
    const [[dashboard]] = prod.ofType('AWS::CloudWatch::Dashboard') as [[string, Resource]];
    expect(JSON.stringify(prod.template.Outputs['DashboardUrl'])).toContain(`{"Ref":"${dashboard}"}`);
  });

  it('names the API after itself, and tags everything with project and stage', () => {
    for (const stage of ['prod', 'dev-anna']) {
      const { stack, template, ofType } = synthesized({ stage });
      const [[, api]] = ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
      expect(api.Properties.Name).toBe(stack.stackName);
      const tags = Object.values(template.Resources).flatMap(({ Properties }) => Properties?.Tags ?? []);
      for (const type of TAGGED) {
        for (const [id, { Properties }] of ofType(type)) {
          expect(tagsOf(Properties.Tags), id).toMatchObject({ project: 'bugless', stage });
        }
      }
      expect(tags.length).toBeGreaterThan(TAGGED.length);
    }
  });

  it('is protected from termination outside development stages', () => {
    expect(prod.stack.terminationProtection).toBe(true);
    expect(synthesized({ stage: 'dev' }).stack.terminationProtection).toBe(false);
  });

  it('keeps the logical ids of the table and the log groups, because another id would replace them', () => {
    const idsOf = (type: string) => prod.ofType(type).map(([id]) => id);
    expect(idsOf('AWS::DynamoDB::Table')).toEqual(['DataTableFDBAD0F2']);
    expect(idsOf('AWS::Logs::LogGroup').toSorted()).toEqual([
      ...['HttpAccessLogC8763DB1', 'accountLogB6CA3021', 'administrationLogD487C893'],
      ...['attachmentsLog93626D8E', 'bugsLog0DDEEA13', 'commentsLogCAD6DB21', 'commenttagsLog8237891D'],
      ...['explorerLog8580C968', 'productsLog2880DC8A', 'serviceinfoLog0905DCB9'],
    ]);
  });

  it('can be deployed twice in one account', () => {
    expect(prod.stack.stackName).not.toBe(synthesized({ stage: 'dev' }).stack.stackName);
    for (const { Type, Properties = {} } of Object.values(prod.template.Resources)) {
      // They name their log groups by reference.
      if (Type === 'AWS::Logs::MetricFilter') continue;
      for (const name of ['TableName', 'LogGroupName', 'RoleName']) {
        expect(Properties).not.toHaveProperty(name);
      }
    }
    for (const [, { Properties }] of prod.ofType('AWS::Lambda::Function')) {
      expect(Properties).not.toHaveProperty('FunctionName');
    }
  });

  it('is synthesized deterministically', () => {
    expect(withoutAssets(synthesize().template)).toEqual(withoutAssets(prod.template));
  });

  /** Without bundling, the names of assets differ each time. */
  function withoutAssets(template: Template) {
    return JSON.parse(JSON.stringify(template).replaceAll(/[0-9a-f]{64}/g, ''));
  }
});

const TAGGED = [
  'AWS::DynamoDB::Table',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::IAM::Role',
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudWatch::Alarm',
];

/** The tags of a resource, which are a list or an object. */
function tagsOf(tags: { Key: string; Value: string }[] | Record<string, string>): Record<string, string> {
  return Array.isArray(tags) ? Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])) : tags;
}
