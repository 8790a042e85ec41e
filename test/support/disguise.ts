import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { listen } from '../../infra/local/listen.ts';
import { afterFile } from './after-file.ts';

/** A server in front of another one that changes its requests and responses. */
export interface Disguise {
  url: string;
  /** the requests so far: path and query */
  requests: string[];
  /** ignores a key in a header, as Bugzilla 5.0 and 5.2 */
  isDeaf: boolean;
  delayMs: number;
  /** what is sent instead of a response; undefined: the response */
  replace: (target: string) => { status: number; body: string } | undefined;
  /** changes the body of a response */
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  change: (target: string, body: any, isAnonymous: boolean) => void;
}

/** Starts a disguise of a server, which stops after the tests of the file. */
export async function startDisguise(original: string): Promise<Disguise> {
  const server = createServer(async (request, response) => {
    const target = request.url ?? '';
    disguise.requests.push(target);
    const header = disguise.isDeaf ? undefined : request.headers['x-bugzilla-api-key']?.toString();
    const parameter = new URL(target, original).searchParams.get('Bugzilla_api_key') ?? undefined;
    const key = header ?? parameter;
    if (disguise.delayMs > 0) await setTimeout(disguise.delayMs);
    const replaced = disguise.replace(target);
    if (replaced !== undefined) {
      response.writeHead(replaced.status).end(replaced.body);
      return;
    }
    await text(request);
    const answer = await fetch(new URL(target, original), {
      headers: key === undefined ? {} : { 'x-bugzilla-api-key': key },
    });
    const body = await answer.json();
    disguise.change(target, body, key === undefined);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { url, stop } = await listen(server);
  afterFile(stop);
  const disguise: Disguise = {
    ...{ url, requests: [], isDeaf: false, delayMs: 0 },
    replace: () => undefined,
    change: () => undefined,
  };
  return disguise;
}
