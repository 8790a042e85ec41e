import { describe, expect, it } from 'vitest';
import { type Condition, fieldCondition } from '../../../lib/bugs/search/conditions.ts';
import { planOf } from '../../../lib/bugs/search/plan.ts';
import { SEARCH_CONTEXT } from '../../support/searched-bugs.ts';

/** The paths of a condition, and what was read to find them. */
async function pathsOf(...conditions: [field: string, operator: string, value: string | string[]][]) {
  const read: string[] = [];
  const all = conditions.map(([field, operator, value]): Condition => {
    const condition = fieldCondition(field, operator, value, SEARCH_CONTEXT);
    if (condition === undefined) throw new Error('There is no condition');
    return condition;
  });
  const { direct, lookUpUsers } = await planOf(
    { all },
    {
      products: async () => {
        read.push('products');
        return [{ id: 1, name: 'Alpha', takes_bugs: true, group_controls: [] }];
      },
      logins: async () => {
        read.push('logins');
        return ['ann@example.com', 'bob@example.com'];
      },
    },
  );
  const paths = [...direct, ...((await lookUpUsers?.()) ?? [])];
  return { kinds: paths.map(({ kind }) => kind), read };
}

describe('the plan of a search', () => {
  it.each(['regexp', 'notregexp'])('compares no name of a product or user by %s', async (operator) => {
    expect(await pathsOf(['product', operator, 'a'])).toEqual({ kinds: [], read: [] });
    expect(await pathsOf(['assigned_to', operator, 'a'])).toEqual({ kinds: [], read: [] });
  });

  it('reads the bugs of the products and users that other conditions name', async () => {
    expect(await pathsOf(['product', 'substring', 'a'], ['product', 'regexp', 'a'])).toEqual({
      kinds: ['ranges'],
      read: ['products'],
    });
    expect(await pathsOf(['cc', 'substring', 'a'])).toEqual({ kinds: ['ranges'], read: ['logins'] });
    expect(await pathsOf(['cc', 'equals', 'a'])).toEqual({ kinds: ['ranges'], read: [] });
  });

  it.each([
    ['another field of the bug', 'assigned_to', 'equals', '%reporter%'],
    ['no user', 'qa_contact', 'anyexact', ['', 'ann@example.com']],
  ])('does not look for the bugs of %s', async (_, field, operator, value) => {
    expect(await pathsOf([field, operator, value])).toEqual({ kinds: [], read: [] });
  });
});
