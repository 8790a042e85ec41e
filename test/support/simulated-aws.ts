import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../infra/local/listen.ts';
import { afterFile } from './after-file.ts';

interface SimulatedMessage {
  body: string;
  /** string attributes, by their names */
  attributes?: Record<string, string>;
}

/** What a simulated account has. */
export interface SimulatedAccount {
  /** messages of the queues, by the last part of their URL; those that are hidden are in `hidden` */
  queues: Record<string, SimulatedMessage[]>;
  /** the queue whose messages come to a dead-letter queue */
  sources: Record<string, string>;
  /** descriptions of the rules */
  rules: Record<string, string>;
  /** `deleted`: it is going to be deleted */
  secrets: Record<string, 'there' | 'deleted'>;
  /** answers of Amazon SES, by method and path; others are 404 */
  ses: Record<string, object>;
  /** requests to Amazon SES with a body */
  sent: unknown[];
}

type Answer = { status: number; body: object };
const ok = (body: object = {}): Answer => ({ status: 200, body });
const refused = (name: string): Answer => ({ status: 400, body: { __type: name, message: name } });

/** The ids of messages, which stay the same however often these are received. */
const messageIds = new WeakMap<object, string>();
function idOf(message: object): string {
  const id = messageIds.get(message) ?? randomUUID();
  messageIds.set(message, id);
  return id;
}

/**
 * Starts a server that responds as SQS, EventBridge, Secrets Manager and Amazon SES, as far as `npm run admin` needs them, and
 * stops after the tests of the file.
 *
 * @returns the environment that leads to it
 */
export async function startSimulatedAws(account: SimulatedAccount): Promise<Record<string, string>> {
  const hidden = new Map<string, { queue: string; message: SimulatedMessage }>();
  const nameOf = (url: unknown) => String(url).replace(/^.*\//, '');
  let address = '';

  const calls: Record<string, (input: Record<string, unknown>) => Answer> = {
    'AmazonSQS.ReceiveMessage'({ QueueUrl, MaxNumberOfMessages = 1 }) {
      const queue = nameOf(QueueUrl);
      const taken = (account.queues[queue] ?? []).splice(0, Number(MaxNumberOfMessages));
      const Messages = taken.map((message) => {
        const ReceiptHandle = randomUUID();
        hidden.set(ReceiptHandle, { queue, message });
        const attributes = Object.entries(message.attributes ?? {}).map(([name, StringValue]) => [
          name,
          { DataType: 'String', StringValue },
        ]);
        return {
          ...{ MessageId: idOf(message), ReceiptHandle, Body: message.body },
          MD5OfBody: createHash('md5').update(message.body).digest('hex'),
          Attributes: { SentTimestamp: '1767323045000' },
          MessageAttributes: Object.fromEntries(attributes),
        };
      });
      return ok(Messages.length === 0 ? {} : { Messages });
    },
    'AmazonSQS.DeleteMessage'({ ReceiptHandle }) {
      hidden.delete(String(ReceiptHandle));
      return ok();
    },
    'AmazonSQS.ChangeMessageVisibility'({ ReceiptHandle }) {
      const found = hidden.get(String(ReceiptHandle));
      hidden.delete(String(ReceiptHandle));
      if (found !== undefined) account.queues[found.queue]?.push(found.message);
      return ok();
    },
    'AmazonSQS.ListDeadLetterSourceQueues'({ QueueUrl }) {
      const { [nameOf(QueueUrl)]: source } = account.sources;
      return ok({ queueUrls: source === undefined ? [] : [`${address}/1/${source}`] });
    },
    'AmazonSQS.SendMessage'({ QueueUrl, MessageBody }) {
      account.queues[nameOf(QueueUrl)]?.push({ body: String(MessageBody) });
      const MD5OfMessageBody = createHash('md5').update(String(MessageBody)).digest('hex');
      return ok({ MessageId: '1', MD5OfMessageBody });
    },
    'AWSEvents.DescribeRule'({ Name }) {
      const { [String(Name)]: Description } = account.rules;
      return Description === undefined ? refused('ResourceNotFoundException') : ok({ Name, Description });
    },
    'secretsmanager.DescribeSecret'({ SecretId }) {
      const { [String(SecretId)]: state } = account.secrets;
      if (state === undefined) return refused('ResourceNotFoundException');
      return ok({ Name: SecretId, ...(state === 'deleted' ? { DeletedDate: 1_767_323_045 } : {}) });
    },
  };

  function answer(method: string, path: string, target: string | undefined, body: string): Answer {
    if (target !== undefined) return calls[target]?.(JSON.parse(body)) ?? refused('UnknownOperation');
    if (body !== '') account.sent.push(JSON.parse(body));
    const { [`${method} ${decodeURIComponent(path)}`]: found } = account.ses;
    return found === undefined
      ? { status: 404, body: { __type: 'NotFoundException', message: 'not found' } }
      : ok(found);
  }

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const target = headers['x-amz-target'];
    const { status, body } = answer(method, url, target?.toString(), await text(request));
    const type = '__type' in body ? { 'x-amzn-errortype': String(body.__type) } : {};
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...type });
    response.end(JSON.stringify(body));
  });
  const { url, stop } = await listen(server);
  afterFile(stop);
  address = url;
  const services = ['SQS', 'EVENTBRIDGE', 'SECRETS_MANAGER', 'SESV2'];
  return Object.fromEntries(services.map((name) => [`AWS_ENDPOINT_URL_${name}`, url]));
}
