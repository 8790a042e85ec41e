import { describe, expect, it } from 'vitest';
import { randomSearches } from '../../bench/searches/generate.ts';
import { explain } from '../../bench/searches/kinds.ts';

describe('random searches', () => {
  it('are the same from the same seed, others from another one', () => {
    const first = (seed: number) => randomSearches(seed).take(500).toArray();
    expect(first(7)).toEqual(first(7));
    expect(first(7)).not.toEqual(first(8));
  });

  it('are charts, parameters and quicksearches, of several callers', () => {
    const searches = randomSearches(1).take(500).toArray();
    const names = new Set(searches.flatMap(({ parameters }) => parameters.map(([name]) => name)));
    for (const name of ['f1', 'n1', 'f3', 'j_top', 'quicksearch', 'order', 'limit', 'offset', 'status']) {
      expect(names).toContain(name);
    }
    expect(new Set(searches.map((one) => one.as)).size).toBe(8);
  });
});

describe('a difference on purpose', () => {
  const search = (...parameters: [string, string][]) => ({ as: 'user', parameters });
  const chart = (field: string, operator: string, value: string) =>
    search(['f1', field], ['o1', operator], ['v1', value]);
  const hours = chart('work_time', 'anywords', '1.5');
  const refused = (code: number) => ({ status: 400, code });

  it.each([
    ['no time', search(['deadline', 'x']), { ids: [1] }, refused(56), 'no time'],
    ['hours', hours, { ids: [1] }, { ids: [2] }, 'numbers as words'],
    ['two refusals', hours, refused(108), refused(32000), 'both refuse'],
    ['a failure of Bugzilla', hours, refused(100500), { ids: [2] }, 'Bugzilla fails'],
    ['another difference', search(['status', 'NEW']), { ids: [1] }, { ids: [] }, undefined],
    ['words of numbers that one refuses', hours, { ids: [1] }, refused(108), undefined],
    [
      'a text for a number that finds more',
      chart('bug_id', 'lessthan', 'x'),
      { ids: [1] },
      { ids: [1, 2] },
      undefined,
    ],
    ['a text for a number', chart('bug_id', 'lessthan', 'x'), { ids: [1, 2] }, { ids: [1] }, 'no number'],
    ['a pronoun that one refuses', chart('cc', 'equals', '%user%'), refused(108), { ids: [1] }, undefined],
    ['a date that one refuses', chart('deadline', 'lessthan', '1d'), refused(108), { ids: [1] }, undefined],
    ['a failure of Bugless', search(['status', 'NEW']), refused(108), { status: 500, code: 0 }, undefined],
  ])('is told from others: %s', (_, given, there, here, kind) =>
    expect(explain(given, there, here)?.kind).toBe(kind),
  );

  it('leaves a search without what causes it', () => {
    const given = search(['f1', 'bug_id'], ['o1', 'anyexact'], ['v1', 'x'], ['n1', '1'], ['status', 'NEW']);
    expect(explain(given, { ids: [1] }, { ids: [] })).toEqual({
      kind: 'no number',
      rest: search(['status', 'NEW']),
    });
    const alone = search(['f1', 'bug_id'], ['o1', 'anyexact'], ['v1', 'x']);
    expect(explain(alone, { ids: [1] }, { ids: [] })?.rest).toBeUndefined();
  });
});
