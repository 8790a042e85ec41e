import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import {
  ADMIN,
  type BenchRequest,
  get,
  openGround,
  openHandlers,
  PROJECT,
  post,
  put,
} from './environment.ts';
import { printTable } from './print.ts';

const REQUESTS: [string, (n: number) => BenchRequest][] = [
  ['product by id', get('/rest/product/2')],
  ['search', get('/rest/bug?product=Alpha&include_fields=id,summary')],
  ['create comment', post('/rest/bug/7/comment', () => ({ comment: 'text' }))],
  ['change a field of a bug', put('/rest/bug/7', (n) => ({ whiteboard: `w ${n}` }))],
  ['update product', put('/rest/product/12', (n) => ({ description: `d ${n}` }))],
];

/** Requests before the one that is counted, so that what an instance does once is left out. */
const WARM_UP = 5;
/** A file of which no more functions run is a hop. */
const HOP = 2;

/** How many files a request runs through: those of `lib` and `functions` of which a function is executed. */
export async function trips(): Promise<void> {
  const ground = await openGround();
  const { invoke } = await openHandlers(ground.table.name, ground.endpoint);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const rows = [];
  let times = 0;
  for (const [request, make] of REQUESTS) {
    for (let round = 0; round < WARM_UP; round += 1) await invoke({ ...make(++times), key: ADMIN });
    await session.post('Profiler.takePreciseCoverage');
    const { statusCode, body } = await invoke({ ...make(++times), key: ADMIN });
    if (statusCode >= 300) throw new Error(`${request}: ${statusCode} ${body}`);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const executed = result.flatMap(({ url, functions }) => {
      if (!isCounted(url)) return [];
      const count = functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0).length;
      return count > 0 ? [{ url, count }] : [];
    });
    if (process.env['TRIPS'] === 'list') for (const { url, count } of executed) console.log(count, url);
    rows.push({
      ...{ request, files: executed.length },
      'of these with two functions at most': executed.filter(({ count }) => count <= HOP).length,
    });
  }
  session.disconnect();
  await ground.stop();
  printTable('Files of lib and functions that a warm request runs through', rows);
}

const isCounted = (url: string): boolean =>
  ['lib', 'functions'].some((folder) => url.startsWith(pathToFileURL(`${PROJECT}/${folder}/`).href));
