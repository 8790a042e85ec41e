import { portions } from '../../../lib/portions.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import { historiesResponse, type SourceBug, type SourceHistory } from './source-schema.ts';

/** A response has all changes of so many bugs. */
const BUGS_PER_REQUEST = 20;

/**
 * Reads the histories of bugs, many in one request: also of bugs whose last change is as old as they are,
 * because they may have changed in the second of their creation.
 *
 * @returns by id; bugs whose history Bugzilla does not return are left out
 * @throws what Bugzilla.get throws, if it concerns other bugs too
 */
export async function readHistories(
  bugzilla: Bugzilla,
  bugs: readonly SourceBug[],
): Promise<Map<number, SourceHistory>> {
  const histories = new Map<number, SourceHistory>();
  const all = bugs.map(({ id }) => id);
  for (const ids of portions(all, { max: BUGS_PER_REQUEST })) {
    for (const [id, history] of await requestHistories(bugzilla, ids)) histories.set(id, history);
  }
  // A server may refuse a request for one of its bugs, or return the first bug only.
  for (const id of all.filter((one) => !histories.has(one))) {
    const [found] = await requestHistories(bugzilla, [id]);
    if (found !== undefined) histories.set(id, found[1]);
  }
  return histories;
}

async function requestHistories(bugzilla: Bugzilla, ids: number[]): Promise<[number, SourceHistory][]> {
  const [first, ...others] = ids;
  const request = bugzilla.get(`bug/${first}/history`, historiesResponse, { query: { ids: others } });
  const { bugs } = await unlessRefused(request, () => ({ bugs: [] }));
  return bugs.filter(({ id }) => ids.includes(id)).map(({ id, history }) => [id, history]);
}
