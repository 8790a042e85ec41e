import { beforeAll, describe, expect, it } from 'vitest';
import { type Resource, type Synthesized, synthesized } from '../support/synthesize.ts';

let prod: Synthesized;
beforeAll(() => {
  prod = synthesized();
});

const alarmsOf = ({ ofType }: Synthesized) => ofType('AWS::CloudWatch::Alarm');

/** A metric of an expression, or the expression. */
interface AlarmMetric {
  Expression?: string;
  MetricStat?: { Metric: { MetricName: string }; Period: number };
}

describe('the alarms', () => {
  it('compare these metrics, and do not fire without data', () => {
    const thresholds = alarmsOf(prod).map(([, { Properties }]) => {
      expect(Properties).toMatchObject({
        ComparisonOperator: 'GreaterThanThreshold',
        TreatMissingData: 'notBreaching',
      });
      const { MetricName, Period, Metrics } = Properties;
      const ofExpression = Metrics?.map(
        ({ Expression, MetricStat }: AlarmMetric) =>
          Expression ?? `${MetricStat?.Metric.MetricName} in ${MetricStat?.Period} s`,
      );
      const watched = ofExpression?.join('; ') ?? `${MetricName} in ${Period} s`;
      return `${watched} > ${Properties.Threshold}, ${Properties.EvaluationPeriods} times`;
    });
    expect(thresholds.toSorted()).toEqual([
      '5xx in 300 s > 5, 1 times',
      'Conflicts in 300 s > 200, 3 times',
      'Count in 3600 s > 300000, 1 times',
      // DynamoDB reports these metrics only while it throttles, and an addition with a missing operand has no value.
      'FILL(reads, 0) + FILL(writes, 0); ReadThrottleEvents in 300 s; WriteThrottleEvents in 300 s > 10, 1 times',
      'IF(requests > 2, 100 * errors / requests, 0); 5xx in 900 s; Count in 900 s > 50, 1 times',
      'Latency in 300 s > 3000, 3 times',
      'RefusedRequests in 300 s > 1000, 1 times',
    ]);
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
