import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../infra/local/listen.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { afterFile } from './after-file.ts';
import { completeCatalogue } from './complete-catalogue.ts';
import { type Content, type SimulatedResponse, simulateResponse } from './simulated-responses.ts';

/** A received request. */
interface ReceivedRequest {
  /** path and query */
  target: string;
  /** the key that the server reads */
  key: string | undefined;
  headers: IncomingHttpHeaders;
  /** milliseconds */
  at: number;
  /** concurrent requests when it arrived, including itself */
  concurrency: number;
}

/** The outcome of a request. */
export type Fate =
  | 'answer'
  /** the connection is closed before or within the response, or there is none */
  | 'cut'
  | 'truncate'
  | 'hang'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A server that responds as a Bugzilla with the content of a catalogue. */
export interface SimulatedBugzilla {
  url: string;
  /** may be changed between requests */
  content: Content;
  requests: ReceivedRequest[];
  /** decides the outcome of each request; by default 'answer' */
  decide: (request: ReceivedRequest) => Fate;
  /** delay of each response */
  latencyMs: number;
  /** the response, without a request */
  respond(target: string, key?: string): SimulatedResponse;
}

/** Starts a simulation, which stops after the tests of the file. */
export async function startSimulatedBugzilla(catalogue: Catalogue): Promise<SimulatedBugzilla> {
  let concurrency = 0;
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    concurrency += 1;
    response.on('close', () => {
      concurrency -= 1;
    });
    const target = incoming.url ?? '';
    const key = readKey(incoming, simulated.content);
    const request = { target, key, headers: incoming.headers, at: performance.now(), concurrency };
    simulated.requests.push(request);
    const { status, body } = simulateResponse(simulated.content, target, key);
    setTimeout(() => send(simulated.decide(request), response, status, body), simulated.latencyMs);
  };
  // The data of their attachments cannot be cloned: `content.attachments` has what it serves.
  const bugs = catalogue.bugs.map(({ attachments: _, ...bug }) => bug);
  const { url, stop } = await listen(createServer(handle));
  afterFile(stop);
  const simulated: SimulatedBugzilla = {
    url,
    content: {
      catalogue: completeCatalogue(structuredClone({ ...catalogue, bugs })),
      changed: new Map(),
      attachments: new Map(),
      maxPageSize: 10_000,
    },
    requests: [],
    decide: () => 'answer',
    latencyMs: 0,
    respond: (target, key) => simulateResponse(simulated.content, target, key),
  };
  return simulated;
}

/** As 5.0 and 5.2, which read a key as a parameter only, or as Mozilla's Bugzilla, which reads a header, too. */
function readKey(
  { url = '', headers }: IncomingMessage,
  { readsHeader = false }: Content,
): string | undefined {
  const { searchParams } = new URL(url, 'http://bugzilla.example');
  const parameter = searchParams.get('Bugzilla_api_key') ?? searchParams.get('api_key');
  const given = parameter ?? (readsHeader ? headers['x-bugzilla-api-key']?.toString() : undefined);
  return given?.trim() || undefined;
}

function send(fate: Fate, response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  if (typeof fate === 'object') response.writeHead(fate.status, fate.headers).end(fate.body ?? 'Not now');
  else if (fate === 'answer') response.writeHead(status, headers).end(text);
  else if (fate === 'cut') response.destroy();
  else if (fate === 'truncate') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
}
