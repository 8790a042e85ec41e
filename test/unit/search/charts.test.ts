import { describe, expect, it } from 'vitest';
import { readCharts } from '../../../lib/search/conditions/charts.ts';
import { meets } from '../../../lib/search/conditions/conditions.ts';
import { SEARCH_CONTEXT, searchedBugWith } from '../../support/searched-bugs.ts';

const bugs = [
  searchedBugWith({ id: 1, priority: 'High', op_sys: 'Linux' }),
  searchedBugWith({ id: 2, priority: 'High', op_sys: 'Windows' }),
  searchedBugWith({ id: 3, priority: 'Low', op_sys: 'Linux' }),
  searchedBugWith({ id: 4, priority: 'Low', op_sys: 'Windows' }),
];

async function found(query: string): Promise<number[]> {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    parameters.set(name, [...(parameters.get(name) ?? []), value]);
  }
  const condition = readCharts(parameters, SEARCH_CONTEXT);
  const hits = await Promise.all(bugs.map((bug) => meets(condition, bug)));
  return bugs.filter((_, index) => hits[index]).map(({ id }) => id);
}

const high = (n: number) => `f${n}=priority&o${n}=equals&v${n}=High`;
const linux = (n: number) => `f${n}=op_sys&o${n}=equals&v${n}=Linux`;
const id = (n: number, value: number) => `f${n}=bug_id&o${n}=equals&v${n}=${value}`;

describe('charts', () => {
  it.each<[string, string, number[]]>([
    ['are joined by AND', `${high(1)}&${linux(2)}`, [1]],
    ['are joined by OR where j_top says so', `${high(1)}&${linux(2)}&j_top=OR`, [1, 2, 3]],
    ['may be negated', `${high(1)}&n1=1&${linux(2)}`, [3]],
    ['have gaps in their numbers', `${high(3)}&${linux(17)}`, [1]],
    ['have groups', `${high(1)}&f2=OP&j2=OR&${linux(3)}&${id(4, 2)}&f5=CP`, [1, 2]],
    ['have groups within groups', `f1=OP&j1=OR&${id(2, 4)}&f3=OP&${high(4)}&${linux(5)}&f6=CP&f7=CP`, [1, 4]],
    ['have negated groups', `f1=OP&n1=1&${high(2)}&${linux(3)}&f4=CP`, [2, 3, 4]],
    ['end the groups that are left open', `f1=OP&j1=OR&${id(2, 1)}&${id(3, 4)}`, [1, 4]],
    ['are ignored without an operator', 'f1=priority&v1=High', [1, 2, 3, 4]],
    ['are ignored without a value', 'f1=priority&o1=equals&v1=', [1, 2, 3, 4]],
    ['take several values as one text', 'f1=bug_id&o1=anyexact&v1=1&v1=4', [1, 4]],
    ['of emptiness take no value', 'f1=status_whiteboard&o1=isempty', [1, 2, 3, 4]],
  ])('%s', async (_, query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it('have an older form: charts and rows joined by AND, columns by OR', async () => {
    const chart = (place: string, field: string, value: string) =>
      `field${place}=${field}&type${place}=equals&value${place}=${value}`;
    expect(await found(`${chart('0-0-0', 'priority', 'High')}&${chart('0-0-1', 'bug_id', '4')}`)).toEqual([
      1, 2, 4,
    ]);
    expect(await found(`${chart('0-0-0', 'priority', 'High')}&${chart('0-1-0', 'op_sys', 'Linux')}`)).toEqual(
      [1],
    );
    expect(await found(`${chart('0-0-0', 'priority', 'High')}&${chart('1-0-0', 'op_sys', 'Linux')}`)).toEqual(
      [1],
    );
    expect(await found(`${chart('0-0-0', 'priority', 'High')}&negate0=1`)).toEqual([3, 4]);
  });

  it.each([
    ['an unknown field', 'f1=nosuch&o1=equals&v1=x', 108],
    ['an unknown operator', 'f1=priority&o1=resembles&v1=x', 32000],
    ['a group that was not opened', 'f1=CP', 32000],
    ['a number that is none', 'f1=bug_id&o1=greaterthan&v1=many', 52],
    ['a time that is none', 'f1=creation_ts&o1=lessthan&v1=yesterday', 56],
    ['an unknown pronoun', 'f1=assigned_to&o1=equals&v1=%25boss%25', 32000],
  ])('with %s are refused', async (_, query, code) => {
    await expect(found(query)).rejects.toThrow(expect.objectContaining({ code }));
  });
});
