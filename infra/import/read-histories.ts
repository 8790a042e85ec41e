import { type Bugzilla, BugzillaError } from './bugzilla-client.ts';
import { readBatches } from './read-batches.ts';
import { historiesResponse, type SourceBug, type SourceHistory } from './source-schema.ts';

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
  const ids = bugs.map(({ id }) => id);
  const found = await readBatches(ids, async ([first, ...others]) => {
    const query = { ids: others };
    const { bugs } = await bugzilla.get(`bug/${first}/history`, historiesResponse, { query });
    return new Map(bugs.map(({ id, history }) => [id, history]));
  });
  return new Map([...found].flatMap(([id, one]) => (one instanceof BugzillaError ? [] : [[id, one]])));
}
