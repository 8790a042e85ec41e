import * as z from 'zod/mini';

/** What the list of webhooks needs of each: a file beside the bundle, without secrets. */
const listedWebhook = z.object({
  ...{ name: z.string(), url: z.string(), product: z.string(), component: z.string() },
  events: z.array(z.enum(['create', 'change', 'comment', 'attachment'])),
});
export const listedWebhooks = z.array(listedWebhook);
export type ListedWebhook = Readonly<z.output<typeof listedWebhook>>;

/** The order in which BMO names events. */
const EVENTS: readonly ListedWebhook['events'][number][] = ['create', 'change', 'attachment', 'comment'];

/**
 * A webhook as `GET /rest/webhooks/list` of BMO shows it. functions/README.md 8
 *
 * @param id its number in the stage's file, from 1
 * @param isWhole whether the caller may see the path of its URL, which may be a secret, and the names of product and component
 */
export const presentWebhook = (
  { name, url, product, component, events }: ListedWebhook,
  id: number,
  isWhole: boolean,
) => ({
  id,
  // The stage's file does not say who added it.
  creator: '',
  name,
  url: isWhole ? url : `${new URL(url).origin}/`,
  event: EVENTS.filter((event) => events.includes(event)).join(','),
  product: isWhole ? product : '',
  component: isWhole ? component : '',
  enabled: true,
  // EventBridge does not tell how often a webhook has failed.
  errors: 0,
});

/** What the file beside the bundle has of webhooks. */
export const listedWebhooksOf = (webhooks: readonly ListedWebhook[]): ListedWebhook[] =>
  webhooks.map(({ name, url, product, component, events }) => ({ name, url, product, component, events }));
