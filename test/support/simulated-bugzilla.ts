import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll } from 'vitest';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { answerOf, type Content, type SimulatedAnswer } from './simulated-answers.ts';

/** A request that the simulation got. */
export interface Asked {
  /** path and query */
  target: string;
  key: string | undefined;
  /** milliseconds */
  at: number;
  /** how many requests were being answered when it came, with itself */
  atOnce: number;
}

/** What becomes of a request. */
export type Fate =
  | 'answer'
  /** the connection ends without an answer, in the middle of one, or stays silent */
  | 'cut'
  | 'cut in between'
  | 'silence'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A small server that answers as a Bugzilla with the content of a catalogue does. */
export interface SimulatedBugzilla {
  url: string;
  /** may be changed between requests */
  content: Content;
  asked: Asked[];
  /** says what becomes of each request; at first all are answered */
  decide: (asked: Asked) => Fate;
  /** milliseconds that each answer takes */
  slowness: number;
  /** what it would answer, without a request */
  answer(target: string, key?: string): SimulatedAnswer;
}

/** Starts one; it stops when the file's tests are over. */
export async function startSimulatedBugzilla(catalogue: Catalogue): Promise<SimulatedBugzilla> {
  let answering = 0;
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    answering += 1;
    response.on('close', () => {
      answering -= 1;
    });
    const target = incoming.url ?? '';
    const key = incoming.headers['x-bugzilla-api-key']?.toString();
    const asked = { target, key, at: performance.now(), atOnce: answering };
    simulated.asked.push(asked);
    const { status, body } = answerOf(simulated.content, target, key);
    setTimeout(() => fulfil(simulated.decide(asked), response, status, body), simulated.slowness);
  };
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulation has no port');
  const simulated: SimulatedBugzilla = {
    url: `http://127.0.0.1:${address.port}`,
    content: { catalogue: structuredClone(catalogue), changed: new Map(), mostListed: 10_000 },
    asked: [],
    decide: () => 'answer',
    slowness: 0,
    answer: (target, key) => answerOf(simulated.content, target, key),
  };
  return simulated;
}

function fulfil(fate: Fate, response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  if (typeof fate === 'object') response.writeHead(fate.status, fate.headers).end(fate.body ?? 'Not now');
  else if (fate === 'answer') response.writeHead(status, headers).end(text);
  else if (fate === 'cut') response.destroy();
  else if (fate === 'cut in between') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
}
