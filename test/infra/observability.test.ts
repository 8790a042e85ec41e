import { beforeAll, describe, expect, it } from 'vitest';
import { type AlarmProperties, type Series, statesOf } from '../support/evaluate-alarm.ts';
import { type Resource, type Synthesized, synthesized } from '../support/synthesize.ts';

let prod: Synthesized;
beforeAll(() => {
  prod = synthesized();
});

const alarmsOf = ({ ofType }: Synthesized) => ofType('AWS::CloudWatch::Alarm');

/** The alarm with this construct id. */
function alarm(name: string): AlarmProperties {
  const found = alarmsOf(prod).filter(([id]) => id.startsWith(`Alarms${name}`));
  expect(found).toHaveLength(1);
  return found[0]?.[1].Properties;
}

const none = undefined;
/** Periods without data before and after the data. */
const burst = (...values: number[]): Series => [none, none, ...values, none, none, none, none, none, none];

describe('the alarm', () => {
  it.each([
    ['ServerErrors', { '5xx': burst(6) }],
    ['Latency', { Latency: burst(3_001, 3_001, 3_001) }],
    ['Throttling', { ReadThrottleEvents: burst(11), WriteThrottleEvents: burst() }],
    ['Throttling', { ReadThrottleEvents: burst(), WriteThrottleEvents: burst(11) }],
    ['Throttling', { ReadThrottleEvents: burst(6, 6), WriteThrottleEvents: burst(6, 6) }],
    ['TransactionConflicts', { Conflicts: burst(201, 201, 201) }],
    ['UnexpectedCost', { Count: burst(300_001) }],
    ['ServerErrorShare', { '5xx': burst(3), Count: burst(3) }],
    ['RefusedRequests', { RefusedRequests: burst(1_001) }],
  ] as [string, Record<string, Series>][])(
    '%s fires with %j, and ends in the periods without data after',
    (name, metrics) => {
      const lengths = Object.values(metrics).map(({ length }) => length);
      const padded = Object.entries(metrics).map(([metric, series]): [string, Series] => [
        metric,
        Array.from({ length: Math.max(...lengths) }, (_, period) => series[period]),
      ]);
      const states = statesOf(alarm(name), Object.fromEntries(padded));
      expect(states.at(0)).toBe('OK');
      expect(states).toContain('ALARM');
      expect(states.at(-1)).toBe('OK');
    },
  );

  it.each([
    ['ServerErrors', { '5xx': burst(5, 0, 5) }],
    ['Latency', { Latency: burst(9_000, 100, 9_000) }],
    ['Throttling', { ReadThrottleEvents: burst(5), WriteThrottleEvents: burst(5) }],
    ['TransactionConflicts', { Conflicts: burst(1_000, 200, 1_000) }],
    ['UnexpectedCost', { Count: burst(300_000) }],
    ['ServerErrorShare', { '5xx': burst(2, 5, 0), Count: burst(2, 10, 40) }],
    ['RefusedRequests', { RefusedRequests: burst(1_000, 1_000) }],
  ] as [string, Record<string, Series>][])('%s does not fire with %j', (name, metrics) => {
    expect(new Set(statesOf(alarm(name), metrics))).toEqual(new Set(['OK']));
  });

  it('on conflicts reads the metric of the functions of this stack', () => {
    const properties = alarmsOf(prod).find(([id]) => id.startsWith('AlarmsTransactionConflicts'))?.[1]
      .Properties;
    expect(properties).toMatchObject({
      Namespace: 'Bugless',
      MetricName: 'Conflicts',
      Dimensions: [{ Name: 'service', Value: prod.stack.stackName }],
    });
    for (const [, { Properties }] of prod.ofType('AWS::Lambda::Function')) {
      expect(Properties.Environment.Variables.SERVICE_NAME).toBe(prod.stack.stackName);
    }
  });
});

describe('alarms', () => {
  const notSent = expect.stringMatching(/^warning: Alarms are shown in CloudWatch only/);

  it('exist outside development stages', () => {
    expect(alarmsOf(prod)).toHaveLength(7);
    expect(alarmsOf(synthesized({ stage: 'dev' }))).toEqual([]);
  });

  it('without topic and email address give a warning at synthesis', () => {
    expect(prod.messages).toContainEqual(notSent);
    expect(synthesized({ stage: 'dev' }).messages).not.toContainEqual(notSent);
  });

  it('are sent to the topic for both states', () => {
    const alarmTopic = 'arn:aws:sns:eu-central-1:123456789012:on-call';
    const stack = synthesized({}, { alarmTopic });
    expect(stack.messages).not.toContainEqual(notSent);
    for (const [, { Properties }] of alarmsOf(stack)) {
      expect([Properties.AlarmActions, Properties.OKActions]).toEqual([[alarmTopic], [alarmTopic]]);
    }
  });

  it('are sent to the email address, over a topic that CloudWatch may publish to', () => {
    const stack = synthesized({}, { alarmEmail: 'team@example.org' });
    expect(stack.messages).not.toContainEqual(notSent);
    const [[topic]] = stack.ofType('AWS::SNS::Topic') as [[string, unknown]];
    const subscriptions = stack.ofType('AWS::SNS::Subscription').map(([, { Properties }]) => Properties);
    expect(subscriptions).toEqual([
      { Protocol: 'email', Endpoint: 'team@example.org', TopicArn: { Ref: topic } },
    ]);
    for (const [, { Properties }] of alarmsOf(stack)) {
      expect([Properties.AlarmActions, Properties.OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    }
    const [[, policy]] = stack.ofType('AWS::SNS::TopicPolicy') as [[string, Resource]];
    expect(JSON.stringify(policy.Properties)).toContain('cloudwatch.amazonaws.com');
  });
});

describe('observability', () => {
  it('has a dashboard in every stage', () => {
    for (const stage of ['prod', 'dev']) {
      expect(synthesized({ stage }).ofType('AWS::CloudWatch::Dashboard')).toHaveLength(1);
    }
  });

  it('has traces and JSON logs of every function, without the platform logs of each invocation', () => {
    for (const [, { Properties }] of prod.ofType('AWS::Lambda::Function')) {
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
      expect(Properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
    }
  });
});

describe('the cost', () => {
  it('of the table is bounded by maximum request units, which a stage file can change', () => {
    const throughputOf = ({ ofType }: Synthesized) =>
      ofType('AWS::DynamoDB::Table').map(([, { Properties }]) => Properties.OnDemandThroughput);
    expect(throughputOf(prod)).toEqual([{ MaxReadRequestUnits: 4_000, MaxWriteRequestUnits: 1_000 }]);
    const raised = synthesized({}, { maxReadRequestUnits: 9_000, maxWriteRequestUnits: 'none' });
    expect(throughputOf(raised)).toEqual([{ MaxReadRequestUnits: 9_000 }]);
  });
});
