import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { ReceivedEvent } from '../../infra/local/events/event-bridge.ts';
import type { BugEvent } from '../../lib/changes/events/event.ts';
import { webhookBody } from '../../lib/changes/events/webhooks.ts';

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../reference/webhook.schema.json'), 'utf8'),
);
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(schema, 'webhook');
/** What Bugless sends is stricter than what BMO does: private parts have ids only. */
const validate = ajv.compile({ $ref: 'webhook#/$defs/bugless' });

// biome-ignore lint/suspicious/noExplicitAny: events have many shapes
export type Detail = any;

/** Validates an event against what a webhook may get. @returns its detail */
export function checkedDetail({ source, 'detail-type': type, detail }: ReceivedEvent): Detail {
  const body = webhookBody({ name: 'test' }, 1, detail as BugEvent);
  expect(validate(body), JSON.stringify([validate.errors?.slice(0, 3), body])).toBe(true);
  const { target, action } = (detail as Detail).event;
  expect([source, type]).toEqual(['bugless', `${target}.${action}`]);
  return detail;
}
