import { presentWebhook } from '../../lib/changes/events/webhook-list.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isInGroup, RIGHTS } from '../../lib/people/caller.ts';
import type { InfoServices } from './services.ts';

/** Responds with the webhooks of the deployment, as BMO does. functions/README.md 8. */
export const listWebhooks: Endpoint<InfoServices> = async (request, { settings, webhooks }) => {
  const caller = await request.caller;
  const isWhole = [RIGHTS.editUsers.group, settings[RIGHTS.webhookReaders.setting]].some((group) =>
    isInGroup(caller, group),
  );
  return ok({ webhooks: webhooks().map((webhook, index) => presentWebhook(webhook, index + 1, isWhole)) });
};
