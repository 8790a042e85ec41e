import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_WORKFLOW, type Workflow } from '../../../lib/bugs/workflow.ts';
import type { Condition } from '../../../lib/search/conditions/conditions.ts';
import { fieldCondition } from '../../../lib/search/conditions/field-condition.ts';
import { loadMatcher } from '../../../lib/search/conditions/regexp.ts';
import { planOf } from '../../../lib/search/plan.ts';
import { SEARCH_CONTEXT } from '../../support/searched-bugs.ts';

beforeAll(() => loadMatcher());

const products = ['Alpha', 'Beta'].map((name, index) => ({
  id: index + 1,
  name,
  takes_bugs: true,
  group_controls: [],
}));

/** The products and states whose bugs a search reads. */
const setsOf = (...conditions: Conditions) => setsIn(DEFAULT_WORKFLOW, ...conditions);

type Conditions = [field: string, operator: string, value: string | string[]][];

function setsIn(workflow: Pick<Workflow, 'names'>, ...conditions: Conditions): string[] {
  const all = conditions.map(([field, operator, value]): Condition => {
    const condition = fieldCondition(field, operator, value, SEARCH_CONTEXT);
    if (condition === undefined) throw new Error('There is no condition');
    return condition;
  });
  const plan = planOf({ all }, products, workflow);
  const states = [...(plan.isOpenWanted ? ['open'] : []), ...(plan.isClosedWanted ? ['closed'] : [])];
  return [...plan.products].flatMap((product) => states.map((state) => `${product} ${state}`));
}

describe('the plan of a search', () => {
  it.each(['regexp', 'notregexp'])('compares no name of a product by %s', (operator) => {
    expect(setsOf(['product', operator, 'B'])).toHaveLength(4);
  });

  it('reads the products that conditions name', () => {
    expect(setsOf(['product', 'substring', 'bet'], ['product', 'regexp', 'x'])).toEqual([
      '2 open',
      '2 closed',
    ]);
    expect(setsOf(['product', 'equals', 'gamma'])).toEqual([]);
  });

  it('reads the states that conditions name', () => {
    expect(setsOf(['bug_status', 'equals', 'CONFIRMED'])).toEqual(['1 open', '2 open']);
    expect(setsOf(['bug_status', 'anyexact', ['RESOLVED', 'VERIFIED']])).toEqual(['1 closed', '2 closed']);
    expect(setsOf(['bug_status', 'notequals', 'RESOLVED'])).toHaveLength(4);
  });

  it('reads the open ones for own closed statuses, also such as differ from default ones in case', () => {
    const workflow = { names: ['NEW', 'Closed', 'Shipped'] };
    expect(setsIn(workflow, ['bug_status', 'equals', 'shipped'])).toEqual(['1 open', '2 open']);
    expect(setsIn(workflow, ['bug_status', 'equals', 'CLOSED'])).toContain('1 open');
  });
});
