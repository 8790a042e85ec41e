import { expect, it } from 'vitest';
import { attachmentRepository } from '../../lib/attachments/repository.ts';
import { bugRepository } from '../../lib/bugs/repository.ts';
import { readConditions } from '../../lib/bugs/search/parameters.ts';
import { bugSearch } from '../../lib/bugs/search/search.ts';
import { commentRepository } from '../../lib/comments/repository.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { userRepository } from '../../lib/users/repository.ts';
import { newTable, referenceCatalogue } from '../support/bugless.ts';
import { callerWith, SEARCH_CONTEXT } from '../support/searched-bugs.ts';

it('a search by a part of a login reads the index of users only without another short list', async () => {
  const table = await newTable(referenceCatalogue());
  const now = () => new Date();
  const users = userRepository(table, now);
  let reads = 0;
  const search = bugSearch(table, {
    bugs: bugRepository(table, now),
    comments: commentRepository(table),
    attachments: attachmentRepository(table, () => new Date()),
    products: productRepository(table, now),
    users: {
      ...users,
      index: () => {
        reads += 1;
        return users.index();
      },
    },
  });
  const find = async (parameters: Record<string, string>, limit?: number) => {
    const given = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]));
    const query = { condition: readConditions(given, SEARCH_CONTEXT), order: [], limit, offset: 0 };
    const searcher = { caller: callerWith('user@example.com'), ...SEARCH_CONTEXT };
    return (await search.find(query, searcher)).map(({ bug }) => bug.id);
  };
  expect(await find({ assigned_to: 'user', product: 'Alpha' })).toEqual([1]);
  expect(await find({ assigned_to: 'user', id: '1,2' }, 5)).toEqual([1]);
  expect(await find({ assigned_to: 'user', last_change_time: '2000-01-01' })).toEqual([1, 5]);
  expect(reads).toBe(0);
  expect(await find({ assigned_to: 'user' })).toEqual([1, 5]);
  expect(reads).toBe(1);
});
