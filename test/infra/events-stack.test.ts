import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { consumer as eventsConsumer } from '../../functions/events/consumer.ts';
import { readEventSettings } from '../../functions/events/services.ts';
import { consumer as mailConsumer } from '../../functions/mail/consumer.ts';
import { withNagChecks } from '../../infra/app.ts';
import { readTemplate } from '../../infra/local/bundled/template.ts';
import { buildApp } from '../../infra/stack/build-app.ts';
import { EVENT_METRICS, MAIL_METRICS } from '../../infra/stack/events/event-delivery.ts';
import type { BugEvent } from '../../lib/changes/events/event.ts';
import {
  eventPattern,
  webhookBody,
  webhookSchema,
  webhooksSchema,
} from '../../lib/changes/events/webhooks.ts';
import { mailSchema } from '../../lib/changes/mail/options.ts';
import { readMailSettings } from '../../lib/changes/mail/senders.ts';
import { readSettings } from '../../lib/settings.ts';
import type { TablePermission } from '../../lib/table/table.ts';
import { type Series, statesOf } from '../support/evaluate-alarm.ts';
import { isLong } from '../support/sample.ts';
import { CHECKS, checked, type Resource, type Synthesized, synthesized } from '../support/synthesize.ts';

/** `npm test` checks the fullest deployment, a run with `RUNS` each. */

const [readme, operating] = ['README.md', 'OPERATING.md'].map((name) =>
  readFileSync(join(import.meta.dirname, '../../infra', name), 'utf8'),
) as [string, string];

const WEBHOOKS = [
  { name: 'jira', url: 'https://jira.example.org/hook', product: 'Rocket', secret: 'team/jira' },
  {
    ...{ name: 'chat', url: 'https://chat.example.org/', secret: 'chat', header: 'Authorization' },
    ...{ events: ['comment'], requestsPerSecond: 3 },
  },
];
const MAIL = { from: 'bugs@example.org', replyTo: 'help@example.org' };
const DOMAIN = {
  domain: 'bugs.example.org',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
};
const STREAM = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-01-01T00:00:00.000';

let plain: Synthesized;
let full: Synthesized;
beforeAll(() => {
  plain = synthesized();
  full = synthesized({}, { webhooks: WEBHOOKS, mail: MAIL, INSIDER_GROUP: 'staff' });
});

/** The only resource of a type whose logical id begins so. */
function one({ ofType }: Synthesized, type: string, start = ''): { id: string } & Resource {
  const found = ofType(type).filter(([id]) => id.startsWith(start));
  expect(found.map(([id]) => id)).toHaveLength(1);
  const [[id, resource]] = found as [[string, Resource]];
  return { id, ...resource };
}

const arnOf = (id: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [id, attribute] });

/** What the role of a function permits, without its log group and X-Ray. */
function statementsOf(stack: Synthesized, name: string) {
  const statements: { Action: string | string[]; Resource: unknown; Condition?: object }[] = one(
    stack,
    'AWS::IAM::Policy',
    `${name}Role`,
  ).Properties.PolicyDocument.Statement;
  return statements
    .map(({ Action, ...others }) => ({
      actions: [Action].flat().filter((action) => !/^(logs|xray):/.test(action)),
      ...others,
    }))
    .filter(({ actions }) => actions.length > 0);
}

const permissionsOf = ({ permissions }: { permissions: readonly TablePermission[] }, table: string) =>
  permissions.map(({ actions, partitions }) => ({
    actions: actions.toSorted(),
    ...{ Effect: 'Allow', Resource: arnOf(table) },
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
  }));

describe('a stack without events', () => {
  it('has no resource, output, alarm, setting or stream for them', () => {
    const types = Object.values(plain.template.Resources).map(({ Type }) => Type);
    expect([...new Set(types)].toSorted()).toEqual([
      ...['AWS::ApiGatewayV2::Api', 'AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route'],
      ...['AWS::ApiGatewayV2::Stage', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'],
      ...['AWS::DynamoDB::Table', 'AWS::IAM::Policy', 'AWS::IAM::Role', 'AWS::Lambda::Function'],
      ...['AWS::Lambda::Permission', 'AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter'],
      ...['AWS::Logs::QueryDefinition'],
    ]);
    expect(Object.keys(plain.template.Outputs).toSorted()).toEqual([
      'DashboardUrl',
      'TableFormat',
      'TableName',
      'Url',
    ]);
    expect(one(plain, 'AWS::DynamoDB::Table').Properties).not.toHaveProperty('StreamSpecification');
    expect(JSON.stringify(plain.template)).not.toMatch(/EVENTS|events:|IteratorAge|AWS\/SQS/);
  });

  it('is the same with events: false and no webhooks', () => {
    const off = synthesized({}, { events: false, webhooks: [] });
    const ids = ({ template }: Synthesized) => Object.keys(template.Resources);
    expect(ids(off)).toEqual(ids(plain));
    expect(off.template.Outputs).toEqual(plain.template.Outputs);
  });

  it('keeps all that it has when events are turned on', () => {
    for (const [id, before] of Object.entries(plain.template.Resources)) {
      const { [id]: after } = full.template.Resources;
      expect(after?.Type, id).toBe(before.Type);
      const growing = ['AWS::Lambda::Function', 'AWS::CloudWatch::Dashboard', 'AWS::Logs::QueryDefinition'];
      // The function `account` may put messages on the bus.
      if (growing.includes(before.Type) || id.startsWith('accountRole')) continue;
      const { StreamSpecification: _, ...properties } = after?.Properties ?? {};
      expect(properties, id).toEqual(before.Properties ?? {});
    }
  });
});

describe('a stack with events', () => {
  it.each([
    ['events', { events: true }],
    ['webhooks', { webhooks: WEBHOOKS }],
    ['mail', { mail: MAIL }],
  ])('has them for %s, and of the others nothing', (name, file) => {
    const stack = synthesized({}, file);
    expect(stack.ofType('AWS::Events::EventBus')).toHaveLength(1);
    expect(stack.ofType('AWS::Events::ApiDestination')).toHaveLength(name === 'webhooks' ? 2 : 0);
    const hasMail = stack.ofType('AWS::Lambda::Function').some(([id]) => id.startsWith('mail'));
    expect(hasMail).toBe(name === 'mail');
    const outputs = Object.keys(stack.template.Outputs).filter((output) => /Event|Failed/.test(output));
    expect(outputs).toEqual([
      'EventBusName',
      'FailedEventsQueue',
      ...(name === 'webhooks' ? ['FailedWebhooksQueue'] : []),
      ...(name === 'mail' ? ['FailedMailQueue', 'FailedAccountsQueue'] : []),
    ]);
  });

  const deployments = [
    [{ stage: 'prod' }, { webhooks: WEBHOOKS, mail: MAIL, ...DOMAIN }],
    [{ stage: 'prod' }, { events: true }],
    [{ stage: 'dev' }, { webhooks: WEBHOOKS, mail: MAIL }],
    [{ stage: 'prod' }, { webhooks: WEBHOOKS, mail: MAIL, table: 'restored', tableStream: STREAM }],
  ] as const;
  it.each(isLong ? deployments : deployments.slice(0, 1))(
    `passes ${CHECKS} with %j and %j`,
    (context, file) => {
      const { app } = buildApp(checked(context), () => file);
      expect(() => withNagChecks(app).synth()).not.toThrow();
    },
  );

  it('has at most 500 resources, also with 50 webhooks and a custom domain', () => {
    const webhooks = Array.from({ length: 50 }, (_, index) => ({ ...WEBHOOKS[0], name: `hook-${index}` }));
    const file = { webhooks, mail: MAIL, ...DOMAIN, monthlyBudget: 5, alarmEmail: 'team@example.org' };
    const { template } = synthesized({}, file);
    const { length } = Object.keys(template.Resources);
    expect(length).toBeLessThanOrEqual(500);
    const [, documented] = /\((\d+) resources with 50 webhooks/.exec(readme) ?? [];
    expect(Number(documented)).toBe(length);
  });

  it('has functions that log what changes did', () => {
    const { functions } = readTemplate(full.template, 'bugless');
    expect(functions).toHaveLength(9);
    for (const { environment } of functions) expect(readSettings(environment).EVENTS).toBe(true);
    for (const { environment } of readTemplate(plain.template, 'bugless').functions)
      expect(readSettings(environment).EVENTS).toBe(false);
  });

  it('has an event bus without a policy, whose name is an output', () => {
    const { id } = one(full, 'AWS::Events::EventBus');
    expect(full.template.Outputs['EventBusName']?.Value).toEqual({ Ref: id });
    expect(full.ofType('AWS::Events::EventBusPolicy')).toEqual([]);
  });

  it('has queues that are encrypted, take TLS only, and keep messages for 14 days', () => {
    const queues = full.ofType('AWS::SQS::Queue');
    expect(queues).toHaveLength(6);
    const policies = full.ofType('AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
    for (const [id, { Properties }] of queues) {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 });
      const own = policies.filter(({ Queues }) => Queues.some((queue: { Ref: string }) => queue.Ref === id));
      expect(JSON.stringify(own)).toContain('"aws:SecureTransport":"false"');
    }
  });

  it('can be deployed twice in one account', () => {
    const names = ({ ofType }: Synthesized) =>
      ofType('AWS::Events::EventBus').map(([, { Properties }]) => Properties.Name);
    expect(names(full)).not.toEqual(names(synthesized({ stage: 'dev' }, { events: true })));
    for (const type of ['AWS::Events::Rule', 'AWS::Events::Connection', 'AWS::Events::ApiDestination']) {
      for (const [, { Properties }] of full.ofType(type)) expect(Properties).not.toHaveProperty('Name');
    }
    for (const [, { Properties }] of full.ofType('AWS::SQS::Queue'))
      expect(Properties).not.toHaveProperty('QueueName');
  });
});

describe('the function events', () => {
  it('reads the stream: entries of the change log that say what the change did', () => {
    const table = one(full, 'AWS::DynamoDB::Table');
    expect(table.Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
    const { Properties } = one(full, 'AWS::Lambda::EventSourceMapping', 'events');
    expect(Properties).toMatchObject({
      EventSourceArn: arnOf(table.id, 'StreamArn'),
      FunctionName: { Ref: one(full, 'AWS::Lambda::Function', 'events').id },
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 79_200,
      StartingPosition: 'TRIM_HORIZON',
      DestinationConfig: { OnFailure: { Destination: arnOf(failedEvents()) } },
    });
    // Absent: as often as the age allows.
    expect(Properties).not.toHaveProperty('MaximumRetryAttempts');
    const [filter, ...others] = Properties.FilterCriteria.Filters;
    expect(others).toEqual([]);
    expect(JSON.parse(filter.Pattern)).toEqual({
      dynamodb: {
        Keys: { pk: { S: [{ prefix: 'CHANGED#' }] } },
        NewImage: { events: { S: [{ exists: true }] } },
      },
    });
  });

  it('may read the stream and its partitions, put events, send failed records, and no more', () => {
    const { id: table } = one(full, 'AWS::DynamoDB::Table');
    const allow = (actions: string[], Resource: unknown) => ({ actions, Effect: 'Allow', Resource });
    expect(statementsOf(full, 'events')).toEqual([
      ...permissionsOf(eventsConsumer, table),
      allow(['dynamodb:ListStreams'], '*'),
      allow(
        ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        arnOf(table, 'StreamArn'),
      ),
      allow(['events:PutEvents'], arnOf(one(full, 'AWS::Events::EventBus').id)),
      allow(['sqs:SendMessage'], arnOf(failedEvents())),
    ]);
  });

  it.each([
    [{ events: true }, 'false'],
    [{ mail: MAIL }, 'true'],
  ])('has valid settings with %j', (file, mail) => {
    const stack = synthesized({}, { ...file, INSIDER_GROUP: 'staff' });
    const given = environmentOf(stack, 'events');
    expect(given['EVENT_BUS_NAME']).toEqual({ Ref: one(stack, 'AWS::Events::EventBus').id });
    expect(given['FAILED_EVENTS_QUEUE_URL']).toEqual({
      Ref: one(stack, 'AWS::SQS::Queue', 'EventDelivery').id,
    });
    expect(given['TABLE_NAME']).toEqual({ Ref: one(stack, 'AWS::DynamoDB::Table').id });
    expect(readEventSettings(texts(given)).MAIL).toBe(mail);
    expect(readSettings(texts(given))).toMatchObject({
      SERVICE_NAME: stack.stack.stackName,
      INSIDER_GROUP: 'staff',
    });
  });

  it('reads the stream of an existing table, which is an option', () => {
    const stack = synthesized({}, { events: true, table: 'restored', tableStream: STREAM });
    const mapping = one(stack, 'AWS::Lambda::EventSourceMapping').Properties;
    expect(mapping.EventSourceArn).toBe(STREAM);
    const read = statementsOf(stack, 'events').find(({ actions }) => actions.includes('dynamodb:GetRecords'));
    expect(read?.Resource).toBe(STREAM);
  });

  const failedEvents = () => one(full, 'AWS::SQS::Queue', 'EventDelivery').id;
});

describe('a webhook of the stack', () => {
  const read = webhooksSchema.parse(WEBHOOKS);

  it.each(read.map((webhook, index) => [webhook.name, webhook, index + 1] as const))(
    '%s is a rule on the bus, with an API destination and its secret by reference',
    (name, webhook, id) => {
      const of = (type: string) => one(full, type, `Webhooks${name}`);
      const [rule, connection, destination] = [
        of('AWS::Events::Rule'),
        of('AWS::Events::Connection'),
        of('AWS::Events::ApiDestination'),
      ];
      expect(connection.Properties).toEqual({
        AuthorizationType: 'API_KEY',
        AuthParameters: {
          ApiKeyAuthParameters: {
            ApiKeyName: webhook.header,
            ApiKeyValue: `{{resolve:secretsmanager:${webhook.secret}:SecretString:::}}`,
          },
        },
      });
      expect(destination.Properties).toEqual({
        ConnectionArn: arnOf(connection.id),
        HttpMethod: 'POST',
        InvocationEndpoint: webhook.url,
        InvocationRateLimitPerSecond: webhook.requestsPerSecond,
      });
      expect(rule.Properties).toMatchObject({
        EventBusName: { Ref: one(full, 'AWS::Events::EventBus').id },
        EventPattern: eventPattern(webhook),
        State: 'ENABLED',
      });
      const [target, ...others] = rule.Properties.Targets;
      expect(others).toEqual([]);
      expect(target).toMatchObject({
        Arn: arnOf(destination.id),
        DeadLetterConfig: { Arn: arnOf(failedWebhooks()) },
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        RoleArn: arnOf(one(full, 'AWS::IAM::Role', 'Webhooks').id),
      });
      expect(transformed(target.InputTransformer, EVENT)).toEqual(webhookBody(webhook, id, EVENT));
    },
  );

  it('has a role that may call the API destinations only', () => {
    const { Properties } = one(full, 'AWS::IAM::Policy', 'Webhooks');
    const destinations = full.ofType('AWS::Events::ApiDestination').map(([id]) => arnOf(id));
    expect(Properties.PolicyDocument.Statement).toEqual([
      {
        ...{ Action: 'events:InvokeApiDestination', Effect: 'Allow' },
        Resource: expect.arrayContaining(destinations),
      },
    ]);
    expect(Properties.PolicyDocument.Statement[0].Resource).toHaveLength(destinations.length);
  });

  it('sends what it cannot deliver to a queue that only rules of the bus may write', () => {
    const policies = full
      .ofType('AWS::SQS::QueuePolicy')
      .map(([, { Properties }]) => Properties)
      .filter(({ Queues }) => Queues[0].Ref === failedWebhooks());
    const allowed = policies
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toMatchObject({
      Action: 'sqs:SendMessage',
      Principal: { Service: 'events.amazonaws.com' },
    });
    const bus = one(full, 'AWS::Events::EventBus').id;
    const { 'Fn::Join': source } = allowed[0].Condition.ArnLike['aws:SourceArn'];
    expect(source[1].slice(-3)).toEqual([':rule/', { Ref: bus }, '/*']);
  });

  const failedWebhooks = () => one(full, 'AWS::SQS::Queue', 'Webhooks').id;
});

describe('mail', () => {
  it.each([
    ['change', 'MailDeliveryQueue', 'MailDeliveryRule', /^MailDeliveryFailed(?!Accounts)/],
    ['account', 'MailDeliveryAccountQueue', 'MailDeliveryAccountRule', /^MailDeliveryFailedAccounts/],
  ])(
    'has a rule for internal events of the type %s, over a queue with few receivers',
    (type, queueId, ruleId, failedId) => {
      const queue = one(full, 'AWS::SQS::Queue', queueId);
      const [failed] = full.ofType('AWS::SQS::Queue').flatMap(([id]) => (failedId.test(id) ? [id] : []));
      const { Properties: rule } = one(full, 'AWS::Events::Rule', ruleId);
      expect(rule.EventPattern).toEqual({ source: ['bugless.internal'], 'detail-type': [type] });
      expect(rule.Targets).toEqual([
        {
          Id: 'Target0',
          Arn: arnOf(queue.id),
          DeadLetterConfig: { Arn: arnOf(failed ?? '') },
        },
      ]);
      const mappings = full.ofType('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
      expect(mappings).toContainEqual(
        expect.objectContaining({
          EventSourceArn: arnOf(queue.id),
          BatchSize: 10,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency: 2 },
        }),
      );
      const { Timeout } = one(full, 'AWS::Lambda::Function', 'mail').Properties;
      expect(queue.Properties).toMatchObject({
        VisibilityTimeout: 6 * Timeout,
        RedrivePolicy: { deadLetterTargetArn: arnOf(failed ?? ''), maxReceiveCount: 700 },
      });
    },
  );

  it('is told of accounts by the function account, which may put nothing else on the bus', () => {
    const put = statementsOf(full, 'account').filter(({ actions }) =>
      actions.some((action) => /^(events|ses|sqs):/.test(action)),
    );
    expect(put).toEqual([
      {
        actions: ['events:PutEvents'],
        Effect: 'Allow',
        Resource: arnOf(one(full, 'AWS::Events::EventBus').id),
        Condition: {
          'ForAllValues:StringEquals': {
            'events:source': 'bugless.internal',
            'events:detail-type': 'account',
          },
          Null: { 'events:source': 'false', 'events:detail-type': 'false' },
        },
      },
    ]);
    expect(JSON.stringify(statementsOf(plain, 'account'))).not.toContain('events:');
  });

  it.each([
    ['with mail', { mail: MAIL }, {}, 'true', true],
    ['without mail', { events: true }, {}, undefined, undefined],
    ['without the group', { mail: MAIL }, { account: 'false' }, undefined, undefined],
    ['with imported people left out', { mail: MAIL, signIn: { imported: false } }, {}, 'true', false],
  ] as const)('lets users sign in by mail %s', (_, file, context, isOn, imported) => {
    const stack = synthesized(context, file);
    for (const { environment } of readTemplate(stack.template, 'bugless').functions) {
      expect(environment['SIGN_IN_BY_MAIL']).toBe(isOn);
      expect(environment['SIGN_IN_IMPORTED']).toBe(imported?.toString());
      expect(environment['SIGN_IN_PER_SOURCE']).toBe(isOn && '100');
    }
    const queues = stack.ofType('AWS::SQS::Queue').filter(([id]) => id.includes('AccountQueue'));
    expect(queues).toHaveLength(isOn === undefined ? 0 : 1);
  });

  it.each([
    [MAIL, 'example.org'],
    [{ ...MAIL, identity: 'mail.example.org' }, 'mail.example.org'],
    [{ ...MAIL, identity: 'bugs@example.org' }, 'bugs@example.org'],
    [{ ...MAIL, identity: 'arn:aws:ses:eu-west-1:123456789012:identity/x' }, 'x'],
  ])('of %j may read its partitions, send from its address, receive its queue, and no more', (mail, name) => {
    const stack = synthesized({}, { mail });
    const statements = statementsOf(stack, 'mail');
    const { id: table } = one(stack, 'AWS::DynamoDB::Table');
    expect(statements).toEqual([
      ...permissionsOf(mailConsumer, table),
      {
        actions: ['ses:SendEmail', 'ses:SendRawEmail'],
        Effect: 'Allow',
        Resource: expect.anything(),
        Condition: { StringEquals: { 'ses:FromAddress': MAIL.from } },
      },
      {
        actions: [
          'sqs:ChangeMessageVisibility',
          'sqs:DeleteMessage',
          'sqs:GetQueueAttributes',
          'sqs:GetQueueUrl',
          'sqs:ReceiveMessage',
        ],
        Effect: 'Allow',
        Resource: ['MailDeliveryAccountQueue', 'MailDeliveryQueue'].map((start) =>
          arnOf(one(stack, 'AWS::SQS::Queue', start).id),
        ),
      },
    ]);
    const identity = JSON.stringify(
      statements.find(({ actions }) => actions.includes('ses:SendEmail'))?.Resource,
    );
    expect(identity).toContain(`:identity/${name}"`);
  });

  it('may send with the configuration set of its identity', () => {
    const stack = synthesized({}, { mail: { ...MAIL, configurationSet: 'default' } });
    const send = statementsOf(stack, 'mail').find(({ actions }) => actions.includes('ses:SendEmail'));
    expect([send?.Resource].flat()).toHaveLength(2);
    expect(JSON.stringify(send?.Resource)).toContain(':configuration-set/default"');
  });

  it('has valid settings: sender, limit, and the address of the deployment with a slash', () => {
    const [[api]] = full.ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
    const given = environmentOf(full, 'mail');
    expect(given['BASE_URL']).toEqual({ 'Fn::Join': ['', [arnOf(api, 'ApiEndpoint'), '/']] });
    expect(given['MAIL_QUEUE_URL']).toEqual({ Ref: one(full, 'AWS::SQS::Queue', 'MailDeliveryQueue').id });
    const domain = synthesized({}, { mail: { from: MAIL.from }, mailPerHour: 50, ...DOMAIN });
    const environment = environmentOf(domain, 'mail');
    expect(environment).not.toHaveProperty('MAIL_REPLY_TO');
    expect(readMailSettings(texts(environment))).toMatchObject({
      ...{ MAIL_FROM: MAIL.from, MAIL_PER_HOUR: 50 },
      BASE_URL: 'https://bugs.example.org/',
    });
    expect(readMailSettings({ ...texts(given), BASE_URL: 'https://example.org/' })).toMatchObject({
      ...{ MAIL_REPLY_TO: MAIL.replyTo, MAIL_PER_HOUR: 1_000 },
    });
    expect(readSettings(texts(given)).INSIDER_GROUP).toBe('staff');
  });
});

describe('alarms on events', () => {
  const none = undefined;
  const burst = (...values: number[]): Series => [none, none, ...values, none, none, none];
  const alarmsOf = (stack: Synthesized, start = '') =>
    stack.ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith(`Alarms${start}`));

  it.each([
    ['EventDelay', 'IteratorAge', 300_001, 300_000],
    ['FailedEvents', 'ApproximateNumberOfMessagesVisible', 1, 0],
    ['FailedWebhooks', 'ApproximateNumberOfMessagesVisible', 1, 0],
    ['FailedMails', 'ApproximateNumberOfMessagesVisible', 1, 0],
    ['MailDelay', 'ApproximateAgeOfOldestMessage', 5_401, 5_400],
    ['LateMails', 'MailsLate', 1, 0],
  ])('%s fires when %s is %i, not %i, and ends', (name, metric, above, below) => {
    const [[, { Properties }]] = alarmsOf(full, name) as [[string, Resource]];
    const states = statesOf(Properties, { [metric]: burst(above) });
    expect(states).toContain('ALARM');
    expect(states.at(-1)).toBe('OK');
    expect(new Set(statesOf(Properties, { [metric]: burst(below) }))).toEqual(new Set(['OK']));
  });

  it.each([
    ['events', { EventsRefused: burst(1) }],
    ['mails', { MailsRefused: burst(1) }],
    ['both', { EventsRefused: burst(1), MailsRefused: burst(2) }],
  ] as [string, Record<string, Series>][])(
    'Refusals fires within 15 minutes when %s are refused, and ends, with metrics of this stack without dimensions',
    (_, metrics) => {
      const [[, { Properties }]] = alarmsOf(full, 'Refusals') as [[string, Resource]];
      const states = statesOf(Properties, metrics);
      expect(states).toContain('ALARM');
      expect(states.at(-1)).toBe('OK');
      const sent = { MailsSent: burst(9), EventsSent: burst(9), MailsDelayed: burst(9) };
      expect(new Set(statesOf(Properties, sent))).toEqual(new Set(['OK']));
      const stats = Properties.Metrics.flatMap(({ MetricStat = [] }) => MetricStat);
      expect(
        stats.map(({ Metric, Period, Stat }: Record<string, object>) => ({ ...Metric, Period, Stat })),
      ).toEqual(
        ['EventsRefused', 'MailsRefused'].map((MetricName) => ({
          ...{ Namespace: `Bugless/${full.stack.stackName}`, MetricName, Period: 300, Stat: 'Sum' },
        })),
      );
      expect(Properties.EvaluationPeriods * 300).toBeLessThanOrEqual(900);
    },
  );

  it('Refusals watches events where there are no mails', () => {
    const stack = synthesized({}, { events: true });
    const [[, { Properties }]] = alarmsOf(stack, 'Refusals') as [[string, Resource]];
    expect(Properties).toMatchObject({
      ...{ Namespace: `Bugless/${stack.stack.stackName}`, MetricName: 'EventsRefused' },
      ...{ Period: 300, Statistic: 'Sum' },
    });
    expect(Properties).not.toHaveProperty('Dimensions');
    expect(statesOf(Properties, { EventsRefused: burst(1) })).toContain('ALARM');
  });

  it('watch each what its name says', () => {
    const watched = ['FailedEvents', 'FailedWebhooks', 'MailDelay', 'EventDelay'].map(
      (name) => alarmsOf(full, name)[0]?.[1].Properties.Dimensions[0].Value,
    );
    const queue = (start: string) => arnOf(one(full, 'AWS::SQS::Queue', start).id, 'QueueName');
    expect(watched).toEqual([
      queue('EventDelivery'),
      queue('Webhooks'),
      queue('MailDeliveryQueue'),
      { Ref: one(full, 'AWS::Lambda::Function', 'events').id },
    ]);
    const failed = full.ofType('AWS::SQS::Queue').filter(([id]) => id.startsWith('MailDeliveryFailed'));
    const mails = JSON.stringify(alarmsOf(full, 'FailedMails')[0]?.[1].Properties.Metrics);
    expect(failed).toHaveLength(2);
    for (const [id] of failed) expect(mails).toContain(JSON.stringify(arnOf(id, 'QueueName')));
  });

  it('exist for what there is, outside development stages', () => {
    expect(alarmsOf(plain)).toHaveLength(8);
    expect(alarmsOf(synthesized({}, { events: true }))).toHaveLength(11);
    expect(alarmsOf(full)).toHaveLength(16);
    expect(alarmsOf(synthesized({ stage: 'dev' }, { webhooks: WEBHOOKS, mail: MAIL }))).toEqual([]);
  });

  it('and their metrics are as many as infra/OPERATING.md says that they cost', () => {
    const metricsOf = (stack: Synthesized): number =>
      stack
        .ofType('AWS::CloudWatch::Alarm')
        .map(([, { Properties }]) => Properties.Metrics ?? [{ MetricStat: {} }])
        .flatMap((metrics) => metrics.filter((one: object) => 'MetricStat' in one)).length;
    const count = (type: string) => full.ofType(type).length;
    const mappings = count('AWS::Lambda::EventSourceMapping') - 1;
    const own = [...EVENT_METRICS, ...MAIL_METRICS];
    const text = operating.replace(/\s+/g, ' ');
    const documented = (pattern: RegExp) => pattern.exec(text)?.slice(1).map(Number);
    expect(documented(/there are (\d+), with events, webhooks and mail (\d+), and (\d+) metrics/)).toEqual([
      metricsOf(plain),
      metricsOf(full),
      own.length,
    ]);
    expect(documented(/Lambda polls the (\d+) queues/)).toEqual([mappings]);
    const withEvents = metricsOf(synthesized({}, { events: true }));
    expect(documented(/(\d+) to (\d+) more alarm metrics/)).toEqual([
      withEvents - metricsOf(plain),
      metricsOf(full) - metricsOf(plain),
    ]);
  });

  it('have graphs on the dashboard', () => {
    const body = (stack: Synthesized) => JSON.stringify(one(stack, 'AWS::CloudWatch::Dashboard').Properties);
    expect(body(full)).toMatch(/Events: age.*Webhooks: retries/);
    expect(body(plain)).not.toMatch(/Events:|Webhooks:/);
  });
});

describe('synthesis with events stops at', () => {
  const [jira] = WEBHOOKS;
  it.each([
    [{ webhooks: [jira, { ...jira, url: 'http://x', name: 'b' }] }, 'webhooks[1].url'],
    [{ webhooks: [{ ...jira, product: '' }] }, 'webhooks[0].product'],
    [{ webhooks: [jira, jira] }, 'another webhook jira'],
    [
      { webhooks: [{ ...jira, Product: 'x' }] },
      "webhooks[0] has the unknown name 'Product'. Did you mean 'product'?",
    ],
    [{ webhooks: [{ ...jira, xyz: 'x' }] }, "webhooks[0] has the unknown name 'xyz'. Known names: name, url"],
    [{ webhooks: jira }, 'webhooks'],
    [{ webhooks: ['jira'] }, 'webhooks[0]'],
    [{ mail: { From: 'a@b.org' } }, "mail has the unknown name 'From'. Did you mean 'from'?"],
    [{ mail: { from: 'Bugs <bugs@example.org>' } }, 'mail.from'],
    [{ mail: { ...MAIL, replyTo: 'nobody' } }, 'mail.replyTo'],
    [{ mail: { ...MAIL, identity: 'arn:aws:sns:x' } }, 'mail.identity'],
    [{ mail: { ...MAIL, configurationSet: 'a b' } }, 'mail.configurationSet'],
    [{ mail: 'bugs@example.org' }, 'mail'],
    [{ mailPerHour: 5 }, 'mailPerHour needs mail'],
    [{ mail: MAIL, mailPerHour: 0 }, 'mailPerHour'],
    [{ events: 'maybe' }, 'events'],
    [{ events: false, mail: MAIL }, 'events is false'],
    [{ events: true, table: 'restored' }, 'tableStream must be'],
    [{ events: true, table: 'other', tableStream: STREAM }, 'not a stream of the table other'],
    [{ events: true, tableStream: STREAM }, 'tableStream is for an existing table'],
    [{ table: 'restored', tableStream: STREAM }, 'tableStream is for an existing table'],
    [{ events: true, table: 'restored', tableStream: 'latest' }, 'tableStream'],
    [{ Webhooks: [] }, "'Webhooks'. Did you mean 'webhooks'?"],
  ])('the stage file %j', (file, message) => {
    expect(() => synthesized({}, file)).toThrow(message);
  });

  it('lists and objects by -c', () => {
    for (const webhooks of ['[]', []])
      expect(() => synthesized({ webhooks })).toThrow("only the stage's file can have it");
    expect(() => synthesized({ mail: '{}' })).toThrow("only the stage's file can have it");
  });
});

describe('infra/README.md and infra/OPERATING.md', () => {
  const section = readme.slice(
    readme.indexOf('## Events, webhooks, mail'),
    readme.indexOf('## Local development'),
  );

  it('has an example that can be deployed', () => {
    const example = /```json\n(.*?)```/s.exec(section)?.[1] ?? '';
    expect(synthesized({}, JSON.parse(example)).ofType('AWS::Events::Rule')).toHaveLength(3);
  });

  it('describes the names of webhooks and mail, and the outputs', () => {
    const names = [webhookSchema, mailSchema].flatMap(({ shape }) => Object.keys(shape));
    expect(names).toContain('configurationSet');
    const outputs = Object.keys(full.template.Outputs).filter((name) => !(name in plain.template.Outputs));
    for (const name of [...names, ...outputs]) expect(section + operating).toContain(`\`${name}\``);
  });
});

const EVENT: BugEvent = {
  ...{ id: '7:modify:3', revision: 3 },
  event: {
    ...{ action: 'modify', target: 'bug', time: '2026-01-02T03:04:05Z', routing_key: 'bug.modify:status' },
    user: { id: 2, login: 'a@example.org', real_name: 'Ann "the <best>" \\' },
    changes: [{ field: 'status', removed: 'CONFIRMED', added: 'RESOLVED' }],
  },
  bug: { id: 7, is_private: false, product: 'Rocket', summary: '<detail-id> "quoted"' },
};

/** What EventBridge makes of an event: it replaces each `<name>` outside of texts by the JSON of its value. */
function transformed(
  { InputPathsMap, InputTemplate }: { InputPathsMap: Record<string, string>; InputTemplate: string },
  detail: BugEvent,
): unknown {
  expect(InputTemplate.length).toBeLessThan(8_192);
  const json = InputTemplate.replaceAll(/<([\w-]+)>/g, (_, name: string) => {
    const part = /^\$\.detail\.(\w+)$/.exec(InputPathsMap[name] ?? '')?.[1];
    return JSON.stringify(detail[part as keyof BugEvent]);
  });
  return JSON.parse(json);
}

const environmentOf = (stack: Synthesized, name: string): Record<string, unknown> =>
  one(stack, 'AWS::Lambda::Function', name).Properties.Environment.Variables;

/** An environment with a name for each reference. */
const texts = (environment: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'reference',
    ]),
  );
