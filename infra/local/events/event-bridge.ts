import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { machineTime } from '../../../lib/base/time.ts';
import { listen } from '../listen.ts';

/** An event as EventBridge gives it to targets. */
export interface ReceivedEvent {
  id: string;
  source: string;
  'detail-type': string;
  /** ISO 8601 */
  time: string;
  detail: unknown;
}

/**
 * Takes an event.
 *
 * @returns the code of the error with which EventBridge refuses it; undefined: it is taken
 */
export type EventTaker = (event: ReceivedEvent) => string | undefined;

const putEvents = z.object({
  Entries: z
    .array(
      z.object({ Source: z.string(), DetailType: z.string(), Detail: z.string(), EventBusName: z.string() }),
    )
    .min(1)
    .max(10),
});

/** EventBridge takes 256 KB in a call. */
const MAX_PUT_BYTES = 262_144;

/**
 * Serves the call PutEvents of Amazon EventBridge on this machine. Its URL has a random path, and only who knows it can send
 * events: pages in a browser could otherwise forge events and mails.
 *
 * @param cleanup receives the function that ends it
 * @returns its URL
 */
export async function startEventBridge(take: EventTaker, cleanup: AsyncDisposableStack): Promise<string> {
  const path = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    if (!isPutEvents(request, path)) {
      send(response, 403, {
        __type: 'AccessDeniedException',
        message: 'Only the service itself may call this',
      });
      return;
    }
    answer(request, response, take).catch((error: unknown) =>
      send(response, 400, { __type: 'ValidationException', message: String(error) }),
    );
  });
  const { url, stop } = await listen(server);
  cleanup.defer(stop);
  return `${url}${path}`;
}

/** Whether a request is the SDK's, and not that of a page in a browser. */
const isPutEvents = ({ method, url, headers }: IncomingMessage, path: string): boolean =>
  method === 'POST' &&
  (url === path || url === `${path}/`) &&
  headers.origin === undefined &&
  headers['content-type'] === 'application/x-amz-json-1.1' &&
  headers['x-amz-target'] === 'AWSEvents.PutEvents';

async function answer(request: IncomingMessage, response: ServerResponse, take: EventTaker): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { Entries } = putEvents.parse(JSON.parse(Buffer.concat(chunks).toString()));
  const sizes = Entries.map(({ Source, DetailType, Detail }) =>
    Buffer.byteLength(Source + DetailType + Detail),
  );
  if (sizes.reduce((sum, size) => sum + size) > MAX_PUT_BYTES)
    throw new Error('Total size of the entries is over 256 KB');
  const results = Entries.map(({ Source, DetailType, Detail }) => {
    const id = randomUUID();
    const code = take({
      ...{ id, source: Source, 'detail-type': DetailType, time: machineTime().toISOString() },
      detail: JSON.parse(Detail),
    });
    return code === undefined ? { EventId: id } : { ErrorCode: code, ErrorMessage: code };
  });
  const failed = results.filter((result) => 'ErrorCode' in result).length;
  send(response, 200, { FailedEntryCount: failed, Entries: results });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
}
