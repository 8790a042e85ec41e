import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { alarmThresholdsSchema } from '../../infra/stack/alarm-thresholds.ts';
import { deliveryLog } from '../../lib/changes/events/delivery-log.ts';
import { createLogger } from '../../lib/logger.ts';
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
    ['LoggedErrors', { LoggedErrors: burst(1) }],
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
    ['LoggedErrors', { LoggedErrors: burst(0) }],
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

describe('the metric of logged errors', () => {
  it('counts in the logs of all functions, also of events and mail, and is that of the alarm', () => {
    const stack = synthesized({}, { mail: { from: 'bugs@example.org' } });
    const filters = stack.ofType('AWS::Logs::MetricFilter').map(([, { Properties }]) => Properties);
    const counting = filters.filter(
      ({ MetricTransformations: [{ MetricName }] }) => MetricName === 'LoggedErrors',
    );
    const logGroups = stack
      .ofType('AWS::Lambda::Function')
      .map(([, { Properties }]) => Properties.LoggingConfig.LogGroup.Ref);
    expect(logGroups).toHaveLength(11);
    expect(counting.map(({ LogGroupName }) => LogGroupName.Ref).toSorted()).toEqual(logGroups.toSorted());
    const [{ FilterPattern, MetricTransformations }] = counting;
    for (const one of counting) {
      expect(one).toMatchObject({ FilterPattern, MetricTransformations });
    }
    expect(MetricTransformations).toEqual([
      {
        MetricName: 'LoggedErrors',
        MetricNamespace: `Bugless/${stack.stack.stackName}`,
        MetricValue: '1',
      },
    ]);
    const watched = alarmsOf(stack).find(([id]) => id.startsWith('AlarmsLoggedErrors'))?.[1].Properties;
    expect(watched).toMatchObject({
      ...{ Namespace: `Bugless/${stack.stack.stackName}`, MetricName: 'LoggedErrors' },
      ...{ Period: 300, Statistic: 'Sum' },
    });
    expect(watched).not.toHaveProperty('Dimensions');
  });

  it.each([
    ['an error of a request', true, () => createLogger('json').error('m', ERROR)],
    ['a warning about the process', true, () => createLogger('json').warn('m')],
    ['a failed event or mail', true, () => deliveryLog('s').failed('m', { attempt: 1 }, ERROR.cause)],
    ['metrics of events', false, () => publishMetrics()],
    ['a request that was refused', false, () => createLogger('json').request({ ...REQUEST, status: 500 })],
  ])('counts %s: %j', (_, isCounted, write) => {
    const lines = linesOf(write);
    expect(lines).toHaveLength(1);
    expect(lines.map((line) => isErrorLine(JSON.parse(line)))).toEqual([isCounted]);
  });

  it("counts Lambda's report of a function that ran out of time", () => {
    const report = (status: string) => ({ type: 'platform.report', record: { requestId: '1', status } });
    expect([report('timeout'), report('error'), report('success')].map(isErrorLine)).toEqual([
      true,
      true,
      false,
    ]);
    expect(isErrorLine({ type: 'platform.runtimeDone', record: { status: 'timeout' } })).toBe(false);
  });

  /** What the filter pattern says, which the test compares with it. */
  function isErrorLine({
    level,
    type,
    record,
  }: {
    level?: string;
    type?: string;
    record?: { status: string };
  }) {
    const [filter] = prod
      .ofType('AWS::Logs::MetricFilter')
      .filter(([id]) => id.startsWith('AlarmsErrors'))
      .map(([, { Properties }]) => Properties.FilterPattern);
    expect(filter).toBe(
      '{ ($.level = "ERROR") || (($.type = "platform.report") && ($.record.status != "success")) }',
    );
    return level === 'ERROR' || (type === 'platform.report' && record?.status !== 'success');
  }

  /** The lines that are written to standard output. */
  function linesOf(write: () => void): string[] {
    const written: string[] = [];
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    write();
    spy.mockRestore();
    return written.join('').trim().split('\n');
  }

  const ERROR = { requestId: '1', cause: new Error('c') };
  const REQUEST = {
    ...{ requestId: '1', method: 'GET', path: '/', route: 'GET /', code: undefined, userId: undefined },
    ...{ milliseconds: 1, capacity: undefined },
  };
  function publishMetrics() {
    const log = deliveryLog('s');
    log.count('EventsRefused');
    log.publish();
  }
});

const queriesOf = (stack: Synthesized) =>
  stack.ofType('AWS::Logs::QueryDefinition').map(([, { Properties }]) => Properties);

it('saved queries are two: errors, and all lines of one id, of this stack', () => {
  const [errors, one, ...others] = queriesOf(prod);
  expect([errors.Name, one.Name, others]).toEqual(['Bugless-prod/errors', 'Bugless-prod/one id', []]);
  const functions = prod.ofType('AWS::Lambda::Function').length;
  expect([errors.LogGroupNames.length, one.LogGroupNames.length]).toEqual([functions, functions + 1]);
  expect(errors.QueryString).toContain('| filter level = "ERROR"');
  expect(one.QueryString).toContain('| filter @message like "PUT-THE-ID-HERE"');
});

describe('thresholds', () => {
  it('are settings', () => {
    const stack = synthesized({}, { alarmThresholds: { Latency: 9_000, LoggedErrors: 3 } });
    const found = alarmsOf(stack).map(([id, { Properties }]) => [
      id.replace(/^Alarms(.*).{8}$/, '$1'),
      Properties.Threshold,
      Properties.AlarmDescription,
    ]);
    expect(found).toContainEqual(['Latency', 9_000, expect.stringContaining('over 9 seconds')]);
    expect(found).toContainEqual(['LoggedErrors', 3, expect.stringContaining('more than 3 errors')]);
    expect(found).toContainEqual(['ServerErrors', 5, expect.stringContaining('More than 5 responses')]);
  });

  it.each([
    [{ latency: 1 }, "alarmThresholds has the unknown name 'latency'. Did you mean 'Latency'?"],
    [{ Latency: '1' }, 'alarmThresholds.Latency'],
    [{ Latency: -1 }, 'alarmThresholds.Latency'],
    [7, 'alarmThresholds'],
  ])('%j stop synthesis', (alarmThresholds, message) => {
    expect(() => synthesized({}, { alarmThresholds })).toThrow(message);
  });

  it('are those that the runbook of infra/OPERATING.md has, with a line for each alarm', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../infra/OPERATING.md'), 'utf8');
    const rows = [
      ...readme.matchAll(/^\| `(\w+)` \| ([\d,]+)[^|]* \| [^|]{10,} \| [^|]{10,} \| ([^|]+) \|$/gm),
    ];
    for (const [, , , tried = ''] of rows) {
      const files = [...tried.matchAll(/`([\w/-]+)`/g)].map(([, file]) => `../${file}.test.ts`);
      expect(tried).toMatch(/`|by hand/);
      for (const file of files)
        expect([file, existsSync(join(import.meta.dirname, file))]).toEqual([file, true]);
    }
    const documented = rows.map(([, name, number = '']) => [name, Number(number.replaceAll(',', ''))]);
    expect(Object.fromEntries(documented)).toEqual(alarmThresholdsSchema.parse({}));
    expect(documented).toHaveLength(Object.keys(alarmThresholdsSchema.shape).length);
    const options = { mail: { from: 'a@example.org' }, webhooks: [WEBHOOK], expectsTraffic: true };
    const all = synthesized({}, options);
    expect(
      alarmsOf(all)
        .map(([id]) => id.replace(/^Alarms(.*).{8}$/, '$1'))
        .toSorted(),
    ).toEqual(Object.keys(alarmThresholdsSchema.shape).toSorted());
  });

  const WEBHOOK = { name: 'jira', url: 'https://jira.example.org/hook', secret: 'team/jira' };
});

describe('alarms', () => {
  const notSent = expect.stringMatching(/^warning: Alarms are shown in CloudWatch only/);

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

it('a dashboard is there in every stage', () => {
  for (const stage of ['prod', 'dev']) {
    expect(synthesized({ stage }).ofType('AWS::CloudWatch::Dashboard')).toHaveLength(1);
  }
});

it('the cost of the table is bounded by maximum request units, which a stage file can change', () => {
  const throughputOf = ({ ofType }: Synthesized) =>
    ofType('AWS::DynamoDB::Table').map(([, { Properties }]) => Properties.OnDemandThroughput);
  expect(throughputOf(prod)).toEqual([{ MaxReadRequestUnits: 4_000, MaxWriteRequestUnits: 1_000 }]);
  const raised = synthesized({}, { maxReadRequestUnits: 9_000, maxWriteRequestUnits: 'none' });
  expect(throughputOf(raised)).toEqual([{ MaxReadRequestUnits: 9_000 }]);
});
