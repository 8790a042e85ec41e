import { type Cost, costOf } from './capacity.ts';
import { ADMIN, openGround, openHandlers } from './environment.ts';
import { printTable, rounded } from './print.ts';
import { documents, zipf } from './texts.ts';

const BUGS = 10;
const COMMENTS = 10;
const LENGTHS = [30, 100];

/** What comments take in write units for the index of their words: passages of a text, and independent words. */
export async function commentWords(): Promise<void> {
  const ground = await openGround();
  const { meter } = ground;
  const { invoke } = await openHandlers(ground.table.name, meter.endpoint);
  const rows: Record<string, string | number>[] = [];
  for (const [what, next] of [
    ['of a text', await documents()],
    ['independent', zipf()],
  ] as const) {
    for (const length of LENGTHS) {
      const costs: (Cost & { words: number })[] = [];
      for (let bug = 0; bug < BUGS; bug += 1) {
        const body = { product: 'Alpha', component: 'Core', version: '1.0', summary: 's', description: 'd' };
        const created = await invoke({ method: 'POST', target: '/rest/bug', key: ADMIN, body });
        const target = `/rest/bug/${JSON.parse(created.body).id}/comment`;
        for (let count = 0; count < COMMENTS; count += 1) {
          const comment = Array.from({ length }, next).join(' ');
          meter.take();
          const reply = await invoke({ method: 'POST', target, key: ADMIN, body: { comment } });
          if (reply.statusCode !== 201) throw new Error(reply.body);
          const calls = meter.take();
          const postings = calls.filter(({ operation }) => operation === 'BatchWriteItem');
          const words = postings.reduce((sum, { writeUnits }) => sum + writeUnits, 0);
          costs.push({ ...costOf(calls, reply.body.length), words });
        }
      }
      const mean = (of: keyof (typeof costs)[number]) =>
        rounded(costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length, 1);
      rows.push({
        comments: `${length} words, ${what}`,
        'calls in sequence': mean('inSequence'),
        'read units': mean('readUnits'),
        'write units': mean('writeUnits'),
        'for words': mean('words'),
      });
    }
  }
  await ground.stop();
  printTable(`A comment in the mean, ${COMMENTS} on each of ${BUGS} bugs`, rows);
}
