import { createServer } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { deliverWebhook } from '../../infra/local/events/deliver-webhook.ts';
import { listen } from '../../infra/local/listen.ts';
import type { BusEntry } from '../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { consumeRecords, type RecordServices } from '../../lib/changes/events/consume-records.ts';
import { RetriesExhausted } from '../../lib/table/retry.ts';
import { afterFile } from '../support/after-file.ts';
import { type Bugless, startBugless, useStarted } from '../support/bugless.ts';
import { type AlarmProperties, type Series, statesOf } from '../support/evaluate-alarm.ts';
import { keys } from '../support/keys.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { type Consume, MINUTE_MS, runMapping, type TimedRecord } from '../support/simulated-mapping.ts';
import { type Synthesized, synthesized } from '../support/synthesize.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

const START = Date.parse('2026-01-02T03:00:00Z');
const OUTAGE_MINUTES = 60;
const MINUTES = 90;
const BUGS = 12;

let bugless: Bugless;
let stack: Synthesized;
let written: TimedRecord[];
let expected: string[];
beforeAll(async () => {
  stack = synthesized(
    {},
    { webhooks: [{ name: 'jira', url: 'https://jira.example.org/hook', secret: 'jira' }] },
  );
  bugless = await startBugless(undefined, { EVENTS: 'true' });
  const bug = {
    ...{ product: 'Alpha', component: 'Core', version: '1.0', op_sys: 'All', platform: 'All' },
    ...{ summary: 'A bug', description: 'It crashes.' },
  };
  for (const _ of times(BUGS, (number) => number)) {
    await bugless.call('POST', '/rest/bug', { key: keys.admin, body: bug });
  }
  const items = await allItems(bugless.table);
  const logged = items.filter(({ pk, events }) => pk.startsWith('CHANGED#') && events !== undefined);
  // One every five minutes, from the first minute of the outage on.
  written = logged.map(({ pk, sk, events }, index) => ({
    minute: index * 5,
    record: {
      dynamodb: {
        ...{ Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage: { events: { S: String(events) } } },
        ApproximateCreationDateTime: (START + index * 5 * MINUTE_MS) / 1_000,
      },
    },
  }));
  expect(written).toHaveLength(BUGS);
  expected = logged.map(({ sk }) => `${Number(sk.slice(sk.lastIndexOf('#') + 1))}:create`);
});

/** A bus, or a function, that does not work in the first hour. */
interface Outage {
  /** what the bus takes of entries before it fails; absent: none */
  taken?: (entries: readonly BusEntry[]) => readonly BusEntry[];
  error: () => Error;
  /** whether the function itself ends so */
  isOfFunction?: true;
}

/** Runs an hour of outage, and half an hour after it. */
async function run({ taken = () => [], error, isOfFunction }: Outage) {
  const sent: string[] = [];
  const setAside: unknown[] = [];
  const failures: RecordServices['failures'] = new Map();
  const consume: Consume = async (records, minute) => {
    const isOut = minute < OUTAGE_MINUTES;
    if (isOut && isOfFunction) throw error();
    const { log, counted } = recordedLog();
    const keep = (entries: readonly BusEntry[]) => {
      sent.push(...entries.map(({ detail }) => JSON.parse(detail).id));
    };
    const put = async (entries: readonly BusEntry[]) => {
      keep(isOut ? taken(entries) : entries);
      if (isOut) throw error();
    };
    const done = await consumeRecords(records, {
      ...{ sources: eventRepositories(bugless.table, bugless.table.now), bus: { put }, isMailed: false },
      ...{ now: () => new Date(START + minute * MINUTE_MS), timeoutMs: 10_000, log, failures },
      keepFailed: async (record) => void setAside.push(record),
    });
    return { done, refused: counted.EventsRefused ?? 0 };
  };
  return { metrics: await runMapping(written, consume, MINUTES), sent, setAside };
}

const alarmNamed = (name: string): AlarmProperties => {
  const [alarm] = stack.ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith(`Alarms${name}`));
  return alarm?.[1].Properties;
};
/** How many minutes pass until an alarm fires; undefined: it does not. */
function minutesUntil(name: string, metrics: Record<string, Series>): number | undefined {
  const period = statesOf(alarmNamed(name), metrics).indexOf('ALARM');
  return period === -1 ? undefined : (period + 1) * 5;
}

const named = (name: string) => Object.assign(new Error('no'), { name, $fault: 'client' });
const OUTAGES: Record<string, Outage> = {
  'the bus denies access': { error: () => named('AccessDeniedException') },
  'the bus throttles': { error: () => new RetriesExhausted('EventBridge refused 10 events') },
  'the bus takes a part of each call': {
    taken: (entries) => entries.slice(0, Math.floor(entries.length / 2)),
    error: () => new RetriesExhausted('EventBridge refused 5 events'),
  },
  'the function events fails': { error: () => new Error('broken'), isOfFunction: true },
};

describe.each(Object.entries(OUTAGES))('while %s for an hour', (_, outage) => {
  const ran = useStarted(() => run(outage));

  it('nothing is lost or set aside: all is sent in order when it is over', () => {
    const { sent, setAside } = ran;
    expect(setAside).toEqual([]);
    expect([...new Set(sent)]).toEqual(expected);
    expect(sent.at(-1)).toBe(expected.at(-1));
  });

  it('an alarm fires within 15 minutes, and ends', () => {
    const { metrics } = ran;
    const { IteratorAge, EventsRefused, failedRuns } = metrics;
    const fired = [
      minutesUntil('EventDelay', { IteratorAge }),
      minutesUntil('Refusals', { EventsRefused }),
      minutesUntil('LoggedErrors', { LoggedErrors: failedRuns }),
    ].filter((minutes) => minutes !== undefined);
    expect(Math.min(...fired)).toBeLessThanOrEqual(15);
    expect(minutesUntil('EventDelay', { IteratorAge })).toBeLessThanOrEqual(15);
    expect(statesOf(alarmNamed('EventDelay'), { IteratorAge }).at(-1)).toBe('OK');
    expect(statesOf(alarmNamed('Refusals'), { EventsRefused }).at(-1)).toBe('OK');
  });
});

describe('a webhook that is down', () => {
  /** Delivers an event to a receiver that is there again after some minutes. */
  async function deliver(downMinutes: number) {
    let now = 0;
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      const isDown = now < downMinutes * MINUTE_MS;
      request.on('data', (data) => {
        if (!isDown) bodies.push(String(data));
      });
      request.on('end', () => response.writeHead(isDown ? 503 : 200).end());
    });
    const { url, stop } = await listen(server);
    afterFile(stop);
    const clock = {
      now: () => now,
      wait: async (ms: number) => {
        now += ms;
      },
    };
    const outcomes: string[] = [];
    const isAccepted = await deliverWebhook(
      { url, headers: {}, body: '{"id":1}' },
      new AbortController().signal,
      (outcome) => outcomes.push(outcome),
      clock,
    );
    return { isAccepted, bodies, outcomes, hours: now / MINUTE_MS / 60 };
  }

  it('for almost 24 hours gets the event once it is there again', async () => {
    const { isAccepted, bodies, outcomes } = await deliver(23 * 60 + 58);
    expect([isAccepted, bodies, outcomes]).toEqual([true, ['{"id":1}'], ['503', '200']]);
  });

  it('for longer is given up after 24 hours, as EventBridge does', async () => {
    const { isAccepted, bodies, hours } = await deliver(25 * 60);
    expect([isAccepted, bodies]).toEqual([false, []]);
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
  });

  it('for longer has its events in the queue of the alarm, which fires within five minutes', () => {
    const [[, rule] = []] = stack
      .ofType('AWS::Events::Rule')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Targets).includes('DeadLetterConfig'));
    const [target] = rule?.Properties.Targets ?? [];
    expect(target.RetryPolicy.MaximumEventAgeInSeconds).toBe(24 * 60 * 60);
    const [[queue] = ['']] = stack.ofType('AWS::SQS::Queue').filter(([id]) => id.startsWith('Webhooks'));
    expect(JSON.stringify(target.DeadLetterConfig)).toContain(queue);
    const [[, alarm] = []] = stack
      .ofType('AWS::CloudWatch::Alarm')
      .filter(([id]) => id.startsWith('AlarmsFailedWebhooks'));
    // 24 hours without a message, then one.
    const messages = [...times(288, () => 0), 1];
    const states = statesOf(alarm?.Properties, { ApproximateNumberOfMessagesVisible: messages });
    expect([states.slice(0, 288).includes('ALARM'), states.at(-1)]).toEqual([false, 'ALARM']);
  });
});
