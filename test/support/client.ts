import { expect } from 'vitest';
import type { Bugless } from './bugless.ts';

/** A bug of the recorded catalogues, as a request files it. */
export const NEW_BUG = {
  ...{ product: 'Alpha', component: 'UI', version: 'unspecified', summary: 'A bug' },
  ...{ op_sys: 'All', platform: 'All', severity: 'normal', priority: 'High', description: 'It crashes.' },
};

/** A file, as a request attaches it. */
export const FILE = { file_name: 'a.txt', summary: 'A file', content_type: 'text/plain', data: 'aGVsbG8K' };

type Keys = Pick<ReadonlyMap<string | undefined, string>, 'get'>;

/**
 * Requests of users to a Bugless.
 *
 * @param keys API keys by the names of users; others have none
 * @param usual who sends requests that name nobody
 */
export function clientOf(bugless: Pick<Bugless, 'call'>, keys: Keys, usual = 'admin') {
  const call = (method: string, path: string, body?: unknown, as = usual) =>
    bugless.call(method, path, { key: keys.get(as), body });
  /** The body of a response to a request that is done. */
  async function done(...request: Parameters<typeof call>) {
    const { status, body } = await call(...request);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  }
  /** The body of a response, whatever its status. */
  const read = async (path: string, as?: string) => (await call('GET', path, undefined, as)).body;
  return {
    ...{ call, done, read },
    /** Status and code of a response. */
    async outcome(...request: Parameters<typeof call>): Promise<[number, number | undefined]> {
      const { status, body } = await call(...request);
      return [status, body.code];
    },
    bugOf: async (id: number | string, as?: string) => (await read(`/rest/bug/${id}`, as)).bugs[0],
    /** Files a bug. @returns its id */
    create: async (bug: object = {}, as?: string): Promise<number> =>
      (await done('POST', '/rest/bug', { ...NEW_BUG, ...bug }, as)).id,
    /** Changes a bug. */
    put: (id: number | string, body: object, as?: string) => call('PUT', `/rest/bug/${id}`, body, as),
    /** The ids of the bugs that a search finds, or status and code of its error. */
    async found(query: string | Record<string, string>, as?: string): Promise<number[]> {
      const { status, body } = await call(
        'GET',
        `/rest/bug?${new URLSearchParams(query)}&include_fields=id`,
        undefined,
        as,
      );
      return status === 200 ? body.bugs.map(({ id }: { id: number }) => id) : [status, body.code];
    },
  };
}
