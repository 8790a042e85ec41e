import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import * as z from 'zod';
import type { TablePermission } from '../../../lib/table/table.ts';
import type { LocalEndpoint } from '../database/server-process.ts';
import { listen } from '../listen.ts';

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

/** An action on one partition, which IAM allows or denies. */
export interface IamAction {
  /** IAM action: `dynamodb:GetItem` */
  action: string;
  /** partition key; undefined: the whole table */
  partition: string | undefined;
}

/** The IAM action of each action of a transaction. */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

const transaction = z.object({ TransactItems: z.array(z.record(z.string(), z.unknown())) });
const partition = z.object({ S: z.string() });

/** The partitions of the items and keys in a call. lib/table/read.ts passes that of a query as `:pk`. */
function partitionsIn(call: unknown): string[] {
  if (typeof call !== 'object' || call === null) return [];
  return Object.entries(call).flatMap(([name, content]) =>
    name === 'pk' || name === ':pk' ? [partition.parse(content).S] : partitionsIn(content),
  );
}

/** The IAM actions of a call to DynamoDB: one for each item of a batch or a transaction. */
function iamActionsOf(operation: string, body: Buffer): IamAction[] {
  const call: unknown = JSON.parse(body.toString());
  const actionsOn = (action: string, part: unknown): IamAction[] => {
    const partitions = partitionsIn(part);
    return (partitions.length === 0 ? [undefined] : partitions).map((one) => ({
      action: `dynamodb:${action}`,
      partition: one,
    }));
  };
  if (!operation.startsWith('Transact')) return actionsOn(operation, call);
  return transaction
    .parse(call)
    .TransactItems.flatMap((item) =>
      Object.entries(item).flatMap(([kind, part]) => actionsOn(TRANSACTION_ACTIONS[kind] ?? kind, part)),
    );
}

/**
 * Whether a policy with these permissions allows the actions of a call. IAM's `ForAllValues` compares a statement with
 * all leading keys: those of the action, or those of the whole transaction; its documentation does not say which, so the
 * statement must have both.
 *
 * @returns the first action that it denies
 */
function deniedAction(
  actions: readonly IamAction[],
  permitted: readonly TablePermission[],
): IamAction | undefined {
  const isPermitted = ({ action }: IamAction) => {
    const keys = actions.map(({ partition }) => partition);
    return permitted.some(
      (statement) =>
        statement.actions.includes(action) &&
        keys.every((key) => statement.partitions.some((pattern) => isLike(key, pattern))),
    );
  };
  return actions.find((action) => !isPermitted(action));
}

function isLike(partition: string | undefined, pattern: string): boolean {
  if (pattern === '*') return true;
  if (partition === undefined) return false;
  return pattern.endsWith('*') ? partition.startsWith(pattern.slice(0, -1)) : partition === pattern;
}
