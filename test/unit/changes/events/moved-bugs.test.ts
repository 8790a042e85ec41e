import { expect, it } from 'vitest';
import type { BugEvent } from '../../../../lib/changes/events/event.ts';
import { eventPattern, matchesPattern } from '../../../../lib/changes/events/webhooks.ts';

const event = {
  action: 'modify',
  target: 'bug',
  time: '2026-01-02T03:04:05Z',
  routing_key: 'bug.modify',
} as const;
const moved: BugEvent = {
  ...{ id: '1:modify:2', revision: 2, event, products: ['Rocket', 'Telescope'] },
  bug: { id: 1, is_private: false, product: 'Rocket', component: 'Engine' },
};
const hidden: BugEvent = { ...{ id: '1:modify:2', revision: 2, event }, bug: { id: 1, is_private: true } };

it.each([
  ['the new product', { product: 'Rocket', component: 'Any' }, true, false],
  ['the former product', { product: 'Telescope', component: 'Any' }, true, false],
  ['another product', { product: 'Probe', component: 'Any' }, false, false],
  ['all products', { product: 'Any', component: 'Any' }, true, true],
  ['a component of the new product', { product: 'Rocket', component: 'Engine' }, true, false],
  ['a component of the former product', { product: 'Telescope', component: 'Engine' }, false, false],
])('a webhook of %s is told of a public move, and of a private one', (_, selected, publicly, privately) => {
  const pattern = eventPattern({ name: 'one', ...selected, events: ['change'] });
  const isTold = (detail: BugEvent) =>
    matchesPattern(pattern, { source: 'bugless', 'detail-type': 'bug.modify', detail });
  expect([isTold(moved), isTold(hidden)]).toEqual([publicly, privately]);
});
