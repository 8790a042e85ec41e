import { describe, expect, it } from 'vitest';
import { buildEvents } from '../../../../lib/changes/events/build-events.ts';
import type { PublishedChange } from '../../../../lib/changes/events/change.ts';
import { type BugEvent, EVENT_TYPES, typeOf } from '../../../../lib/changes/events/event.ts';
import {
  type BusEvent,
  eventPattern,
  matchesPattern,
  type Webhook,
  webhookBody,
  webhookSource,
  webhooksSchema,
} from '../../../../lib/changes/events/webhooks.ts';

const GIVEN = { name: 'jira', url: 'https://jira.example.org/hook', secret: 'jira-token' };

/** A webhook with defaults. */
function webhook(given: object = {}): Webhook {
  const [read] = webhooksSchema.parse([{ ...GIVEN, ...given }]);
  if (read === undefined) throw new Error('There is no webhook');
  return read;
}

/** A public event. */
const event = (
  target: BugEvent['event']['target'],
  action: BugEvent['event']['action'],
  bug: object = { product: 'Rocket', component: 'Engine' },
): BugEvent => ({
  ...{ id: '7:x', revision: 3 },
  event: { action, target, time: '2026-01-02T03:04:05Z', routing_key: `${target}.${action}` },
  bug: { id: 7, is_private: false, ...bug },
});

const onBus = (detail: BugEvent, source = 'bugless'): BusEvent => ({
  source,
  'detail-type': typeOf(detail),
  detail,
});

/** Events of a private bug, as the function `events` builds them. */
const ofPrivateBug = buildEvents({
  ...{ kind: 'created', time: '2026-01-02T03:04:05Z', revision: 1, who: 'a@example.org' },
  bug: { id: 7, groups: ['secret'] },
  ...{ before: { groups: ['secret'] }, after: { groups: ['secret'] } },
  ...{ history: [], attachments: new Map(), created: new Set() },
  comments: [
    { id: 1, count: 0, is_private: false, text: 'Secret' },
    { id: 2, count: 1, is_private: false, text: 'Secret' },
  ],
} as unknown as PublishedChange);

describe('a webhook', () => {
  it('has defaults: everything, in the header X-Webhook-Token, ten times a second', () => {
    expect(webhook()).toEqual({
      ...GIVEN,
      ...{ product: 'Any', component: 'Any', header: 'X-Webhook-Token', requestsPerSecond: 10 },
      events: ['create', 'change', 'comment', 'attachment'],
    });
  });

  it.each([
    [{ url: 'http://jira.example.org/' }, 'url'],
    [{ url: 'https://user:secret@jira.example.org/' }, 'url'],
    [{ url: 'https://jira.example.org/#top' }, 'url'],
    [{ url: 'https://jira.example.org/*' }, 'url'],
    [{ url: `https://jira.example.org/${'x'.repeat(2_048)}` }, 'url'],
    [{ url: 'jira.example.org' }, 'url'],
    [{ url: undefined }, 'url'],
    [{ name: 'Jira' }, 'name'],
    [{ name: 'x'.repeat(41) }, 'name'],
    [{ product: '' }, 'product'],
    [{ product: ' Rocket' }, 'product'],
    [{ component: 'x'.repeat(65) }, 'component'],
    [{ events: [] }, 'events'],
    [{ events: ['delete'] }, 'events'],
    [{ secret: undefined }, 'secret'],
    [{ secret: 'a:b' }, 'secret'],
    [{ header: 'X Token' }, 'header'],
    [{ requestsPerSecond: 0 }, 'requestsPerSecond'],
    [{ requestsPerSecond: 301 }, 'requestsPerSecond'],
    [{ requestsPerSecond: 1.5 }, 'requestsPerSecond'],
  ])('is refused with %j', (given, name) => {
    const { error } = webhooksSchema.safeParse([GIVEN, { ...GIVEN, name: 'other', ...given }]);
    expect(error?.issues.map(({ path }) => path.slice(0, 2))).toEqual([[1, name]]);
  });

  it('has a name of its own, and names that are known', () => {
    const issuesOf = (given: object[]) =>
      webhooksSchema.safeParse(given).error?.issues.map(({ code, path }) => ({ code, path }));
    expect(issuesOf([GIVEN, GIVEN])).toEqual([{ code: 'custom', path: [1, 'name'] }]);
    expect(issuesOf([{ ...GIVEN, prodct: 'Rocket' }])).toEqual([{ code: 'unrecognized_keys', path: [0] }]);
    const many = Array.from({ length: 51 }, (_, index) => ({ ...GIVEN, name: `hook-${index}` }));
    expect(issuesOf(many.slice(1))).toBeUndefined();
    expect(issuesOf(many)).toEqual([{ code: 'too_big', path: [] }]);
  });
});

describe('the events of a webhook', () => {
  const matches = (given: object, detail: BugEvent, source?: string) =>
    matchesPattern(eventPattern(webhook(given)), onBus(detail, source));

  it('are of the kinds that it selects', () => {
    const all = [
      event('bug', 'create'),
      event('bug', 'modify'),
      event('comment', 'create'),
      event('attachment', 'create'),
      event('attachment', 'modify'),
    ];
    const kindsOf = (events?: string[]) =>
      all.filter((one) => matches(events === undefined ? {} : { events }, one)).map(typeOf);
    expect(kindsOf()).toEqual(EVENT_TYPES);
    expect(kindsOf(['create'])).toEqual(['bug.create']);
    expect(kindsOf(['change'])).toEqual(['bug.modify']);
    expect(kindsOf(['comment'])).toEqual(['comment.create']);
    expect(kindsOf(['attachment', 'attachment'])).toEqual(['attachment.create', 'attachment.modify']);
  });

  it('are of its product and component', () => {
    const one = event('bug', 'create');
    expect(matches({ product: 'Rocket' }, one)).toBe(true);
    expect(matches({ product: 'rocket' }, one)).toBe(false);
    expect(matches({ component: 'Engine' }, one)).toBe(true);
    expect(matches({ product: 'Rocket', component: 'Any' }, one)).toBe(true);
    expect(matches({ product: 'Rocket', component: 'Fuel' }, one)).toBe(false);
  });

  it('are those of all webhooks, and those that are replayed to it', () => {
    const one = event('bug', 'create');
    expect(webhookSource('jira')).toBe('bugless.webhook.jira');
    expect(matches({}, one, webhookSource('jira'))).toBe(true);
    expect(matches({}, one, webhookSource('other'))).toBe(false);
    expect(matches({}, one, 'bugless.internal')).toBe(false);
  });

  it('are never those of private bugs where it selects a product or a component', () => {
    expect(ofPrivateBug).toHaveLength(2);
    for (const one of ofPrivateBug) {
      expect(one.bug.is_private).toBe(true);
      expect(matches({}, one)).toBe(true);
      expect(matches({ product: 'Rocket' }, one)).toBe(false);
      expect(matches({ component: 'Engine' }, one)).toBe(false);
    }
    const ofPrivateComment = event('comment', 'create', { comment: { id: 1, is_private: true } });
    expect(matches({ product: 'Rocket' }, ofPrivateComment)).toBe(false);
  });
});

it('the body of a webhook is the event with number and name of the webhook', () => {
  const one = event('bug', 'create');
  expect(webhookBody(webhook(), 2, one)).toEqual({ webhook_id: 2, webhook_name: 'jira', ...one });
});
