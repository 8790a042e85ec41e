import * as z from 'zod/mini';
import { MAX_NAME_LENGTH, nameProblem } from '../../base/names.ts';
import { type BugEvent, EVENT_SOURCE, type EventType } from './event.ts';

/** The `events` of a webhook, as Bugzilla's administrators know them, and the kinds of events that each selects. */
const SELECTED: Readonly<Record<'create' | 'change' | 'comment' | 'attachment', readonly EventType[]>> = {
  create: ['bug.create'],
  change: ['bug.modify'],
  comment: ['comment.create'],
  attachment: ['attachment.create', 'attachment.modify'],
};

/** A product or component that selects all. */
const ANY = 'Any';

const MAX_WEBHOOKS = 50;

/** Not those that say how a message is sent. */
const HEADER =
  /^(?!(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect)$)[a-z][a-z0-9-]{0,99}$/i;

/** What EventBridge accepts as the URL of an API destination, but for `*`, which would be a parameter of the path. */
const URL_CHARACTERS = /^(%[0-9A-Fa-f]{2}|[-()_.!~';/?:@&=+$,A-Za-z0-9])+$/;
const MAX_URL_LENGTH = 2_048;

const isWebhookUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return (
    url?.protocol === 'https:' &&
    // Not `https:host`, which URL reads, too.
    /^https:\/\/[^/@]/i.test(text) &&
    // EventBridge calls public hosts by name only.
    /\.[a-z][a-z0-9-]*$/i.test(url.hostname) &&
    url.username === '' &&
    url.password === '' &&
    URL_CHARACTERS.test(text) &&
    text.length <= MAX_URL_LENGTH
  );
};

const product = z._default(
  z.string('must be a text').check(
    z.check(({ value, issues }) => {
      const problem = nameProblem(value, MAX_NAME_LENGTH);
      if (problem !== undefined) issues.push({ code: 'custom', input: value, message: problem });
    }),
  ),
  ANY,
);

/** One webhook of a stage's file. functions/events/README.md 4 */
export const webhookSchema = z.strictObject({
  name: z
    .string('must be a text')
    .check(
      z.regex(
        /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/,
        'must be 1 to 40 lower-case letters, digits and dashes',
      ),
    ),
  url: z
    .string('must be a text')
    .check(z.refine(isWebhookUrl, 'must be an https URL without credentials, fragment and *')),
  /** name of the product whose events are sent, or `Any` */
  product,
  /** name of the component whose events are sent, or `Any` */
  component: product,
  events: z._default(
    z
      .array(z.enum(['create', 'change', 'comment', 'attachment']), 'must be a list')
      .check(z.minLength(1, 'must name an event')),
    ['create', 'change', 'comment', 'attachment'],
  ),
  /** name of the secret in Secrets Manager whose text is sent as the header */
  secret: z
    .string('must be the name of a secret in Secrets Manager')
    .check(z.regex(/^[\w/+=.@-]{1,512}$/, 'must be the name of a secret in Secrets Manager')),
  header: z._default(
    z
      .string('must be a text')
      .check(z.regex(HEADER, 'must be the name of a header that is not one of HTTP itself')),
    'X-Webhook-Token',
  ),
  requestsPerSecond: z._default(
    z
      .number('must be a number')
      .check(
        z.int('must be an integer'),
        z.minimum(1, 'must be at least 1'),
        z.maximum(300, 'must be at most 300'),
      ),
    10,
  ),
});

export type Webhook = Readonly<z.output<typeof webhookSchema>>;

/** The webhooks of a stage's file. The number of one in this list, from 1, is the `webhook_id` that is sent. */
export const webhooksSchema = z.array(webhookSchema, 'must be a list of webhooks').check(
  z.maxLength(MAX_WEBHOOKS, `must have at most ${MAX_WEBHOOKS} webhooks`),
  z.check(({ value, issues }) => {
    for (const [index, { name }] of value.entries()) {
      if (value.findIndex((one) => one.name === name) === index) continue;
      const message = `must be unique: there is another webhook ${name}`;
      issues.push({ code: 'custom', input: value, path: [index, 'name'], message });
    }
  }),
);

/** Values of an event's detail, each in the list of its name. */
interface DetailPattern {
  bug?: { product?: string[]; component?: string[] };
  products?: string[];
}

/** A pattern of EventBridge, as far as webhooks need it: each value must be in the list of its name. */
export interface EventPattern {
  source: string[];
  'detail-type': EventType[];
  /** absent: all products and components, and private bugs with what is public of them */
  detail?: DetailPattern | { $or: DetailPattern[] };
}

/** What is on the bus, as far as patterns look at it. */
export interface BusEvent {
  source: string;
  'detail-type': string;
  detail: BugEvent;
}

/** The `source` of events that are replayed to one webhook only. */
export const webhookSource = (name: string): string => `${EVENT_SOURCE}.webhook.${name}`;

/**
 * The pattern of the events that a webhook gets. Product and component stand in public events only, so a webhook that
 * selects one never gets private ones. The webhook of a product, with all its components, also gets moves out of it.
 */
export function eventPattern({
  name,
  product,
  component,
  events,
}: Pick<Webhook, 'name' | 'product' | 'component' | 'events'>): EventPattern {
  const pattern = {
    source: [EVENT_SOURCE, webhookSource(name)],
    'detail-type': [...new Set(events.flatMap((event) => SELECTED[event]))],
  };
  if (component !== ANY) {
    const bug = { ...(product === ANY ? {} : { product: [product] }), component: [component] };
    return { ...pattern, detail: { bug } };
  }
  if (product === ANY) return pattern;
  return { ...pattern, detail: { $or: [{ bug: { product: [product] } }, { products: [product] }] } };
}

/** Whether EventBridge would find that an event matches a pattern of `eventPattern`. */
export function matchesPattern(pattern: EventPattern, event: BusEvent): boolean {
  const { detail = {} } = pattern;
  const { bug, products = [] } = event.detail;
  const isIn = (allowed: readonly string[] | undefined, ...values: readonly unknown[]) =>
    allowed === undefined || allowed.some((one) => values.includes(one));
  const matches = (one: DetailPattern) =>
    isIn(one.bug?.product, bug['product']) &&
    isIn(one.bug?.component, bug['component']) &&
    isIn(one.products, ...products);
  return (
    isIn(pattern.source, event.source) &&
    isIn(pattern['detail-type'], event['detail-type']) &&
    ('$or' in detail ? detail.$or.some(matches) : matches(detail))
  );
}

/** The description of the rule of a webhook, by its name. */
export const ruleDescription = (name: string): string => `Bugless: webhook ${name}`;

/** The name of the webhook of a rule, by the description; undefined: the rule is another. */
export const webhookOfRule = (description: string): string | undefined =>
  /^Bugless: webhook (\S+)$/.exec(description)?.[1];

/**
 * The body that a webhook gets.
 *
 * @param id number of the webhook in its list, from 1
 * @param detail the event, or what stands for its parts in a template
 */
export const webhookBody = <T extends Readonly<Record<'id' | 'revision' | 'event' | 'bug', unknown>>>(
  { name }: Pick<Webhook, 'name'>,
  id: number,
  { id: eventId, revision, event, bug }: T,
) => ({ webhook_id: id, webhook_name: name, id: eventId, revision, event, bug });
