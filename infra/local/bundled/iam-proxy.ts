import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TablePermission } from '../../../lib/table/permission.ts';
import type { LocalEndpoint } from '../database/server-process.ts';
import { listen } from '../listen.ts';
import { deniedAction, type IamAction, iamActionsOf } from './iam-actions.ts';

/**
 * Starts a proxy in front of DynamoDB that enforces the IAM policy of a deployed function. DynamoDB Local does not
 * check permissions, so without the proxy a missing permission would only show in production.
 *
 * @param endpoint URL of the DynamoDB
 * @param permitted permissions of the function
 * @param onPermitted receives what the function did
 */
export async function startIamProxy(
  endpoint: string,
  permitted: readonly TablePermission[],
  onPermitted: (actions: readonly IamAction[]) => void = () => undefined,
): Promise<LocalEndpoint> {
  const agent = new Agent({ keepAlive: true });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    const actions = iamActionsOf(operation, body);
    const refused = deniedAction(actions, permitted);
    if (refused !== undefined) {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      const { action, partition = '' } = refused;
      const message = `The function is not authorized to perform: ${action} on ${partition}`;
      response.end(JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }));
      return;
    }
    onPermitted(actions);
    const { method, headers } = incoming;
    const disconnect = () => response.destroy();
    const forwarded = request(endpoint, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', disconnect).pipe(response);
    });
    forwarded.on('error', disconnect).end(body);
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const { url, stop } = await listen(server);
  return {
    endpoint: url,
    async stop() {
      agent.destroy();
      await stop();
    },
  };
}
