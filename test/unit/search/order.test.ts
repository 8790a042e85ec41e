import { describe, expect, it } from 'vitest';
import type { KnownProduct } from '../../../lib/products/place.ts';
import { readOrder, sortBugs } from '../../../lib/search/order.ts';
import { SEARCH_CONTEXT, searchedBugWith } from '../../support/searched-bugs.ts';

const bugs = [
  searchedBugWith({ id: 1, priority: 'Low', summary: 'b', version: '10.0', target_milestone: 'second' }),
  searchedBugWith({ id: 2, priority: 'Highest', summary: 'B', status: 'RESOLVED', resolution: 'FIXED' }),
  searchedBugWith({ id: 3, priority: 'Low', summary: 'Ä', status: 'UNCONFIRMED', target_milestone: 'first' }),
  searchedBugWith({ id: 4, priority: 'odd', summary: 'c', last_change_time: '2024-05-01T00:00:00Z' }),
];
const product: KnownProduct = {
  id: 1,
  revision: 1,
  name: 'Alpha',
  classification: 'Unclassified',
  components: new Map(),
  milestones: new Map([
    ['first', 10],
    ['second', 5],
  ]),
  flagTypes: [],
};

function ordered(order: string): number[] {
  const columns = readOrder(order, SEARCH_CONTEXT);
  const products = new Map([[product.id, product]]);
  const sorted = sortBugs(bugs, { columns, context: SEARCH_CONTEXT, products, bugOf: (one) => one });
  return sorted.map(({ id }) => id);
}

describe('the order of bugs', () => {
  it.each<[string, string, number[]]>([
    ['is that of ids without columns', '', [1, 2, 3, 4]],
    ['may be reversed', 'bug_id DESC', [4, 3, 2, 1]],
    ['is that of legal values, others last', 'priority', [2, 1, 3, 4]],
    ['is that of texts in any case, without accents', 'short_desc', [3, 1, 2, 4]],
    ['is that of statuses', 'bug_status', [3, 1, 4, 2]],
    ['has several columns, then the id', 'priority,short_desc', [2, 3, 1, 4]],
    ['has a direction for each column', 'priority DESC,bug_id DESC', [4, 3, 1, 2]],
    ['takes the names of columns', 'changeddate DESC', [4, 1, 2, 3]],
    ['takes the names of the interface', 'last_change_time desc', [4, 1, 2, 3]],
    ['takes the names of the table', 'bugs.short_desc', [3, 1, 2, 4]],
    ['is that of the sort keys of milestones', 'target_milestone', [2, 4, 1, 3]],
    ['ignores unknown columns and directions', 'nosuch,priority sideways,short_desc', [3, 1, 2, 4]],
    ['ignores lists of users', 'cc', [1, 2, 3, 4]],
  ])('%s', (_, order, ids) => {
    expect(ordered(order)).toEqual(ids);
  });

  it('is not told by hours to users who do not track time', () => {
    expect(readOrder('estimated_time', SEARCH_CONTEXT)).toHaveLength(1);
    expect(readOrder('estimated_time', { ...SEARCH_CONTEXT, isTimeTracker: false })).toEqual([]);
  });
});
