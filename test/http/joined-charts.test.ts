import { expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { aBug, aComment, aProduct, REPORTER } from '../support/small-catalogue.ts';

/** Conditions that one value, or one change, of a bug has to meet together. */

const KEY = 'k'.repeat(40);
const [ANN, BEN] = ['ann@example.com', 'ben@example.com'];
const changed = (when: string, removed: string, added: string) => ({
  ...{ when: `${when}T10:00:00Z`, who: REPORTER },
  changes: [{ field_name: 'status', removed, added }],
});
const resolved = { status: 'RESOLVED', resolution: 'FIXED', last_change_time: '2024-06-01T10:00:00Z' };

const bugless = useStarted(() =>
  startBuglessWithPermissions(
    parseCompleteCatalogue({
      groups: [{ name: 'editbugs' }],
      users: [
        { login: REPORTER, api_keys: [{ key: KEY }], groups: ['editbugs'] },
        ...[ANN, BEN].map((login) => ({ login })),
      ],
      products: [aProduct()],
      bugs: [
        aBug(1, { cc: [ANN], comments: [aComment('alpha beta'), aComment('gamma', { tags: ['me-too'] })] }),
        aBug(2, { cc: [ANN, BEN], comments: [aComment('alpha'), aComment('beta')] }),
        aBug(3, {
          ...resolved,
          history: [
            changed('2020-01-01', 'CONFIRMED', 'RESOLVED'),
            changed('2024-05-01', 'RESOLVED', 'CONFIRMED'),
            changed('2024-06-01', 'CONFIRMED', 'RESOLVED'),
          ],
        }),
        aBug(4, {
          ...{ status: 'CONFIRMED', last_change_time: '2024-05-01T10:00:00Z' },
          history: [
            changed('2020-01-01', 'CONFIRMED', 'RESOLVED'),
            changed('2024-05-01', 'RESOLVED', 'CONFIRMED'),
          ],
        }),
      ],
    }),
  ),
);

async function find(query: Record<string, string>) {
  const search = new URLSearchParams({ include_fields: 'id', ...query });
  const { status, body } = await bugless.call('GET', `/rest/bug?${search}`, { key: KEY });
  return status === 200 ? body.bugs.map(({ id }: { id: number }) => id) : [status, body.code];
}
const charts = (...all: [field: string, operator: string, value: string, isNegated?: boolean][]) =>
  Object.fromEntries(
    all.flatMap(([field, operator, value, isNegated = false], n) => [
      [`f${n}`, field],
      [`o${n}`, operator],
      [`v${n}`, value],
      ...(isNegated ? [[`n${n}`, '1']] : []),
    ]),
  );

it.each<[what: string, query: Record<string, string>, expected: number[]]>([
  [
    'one comment that has a word and not another one',
    {
      j_top: 'AND_G',
      ...charts(['longdesc', 'substring', 'alpha'], ['longdesc', 'substring', 'beta', true]),
    },
    [2],
  ],
  [
    'a person on CC, and that another one is not there',
    { j_top: 'AND_G', ...charts(['cc', 'equals', ANN], ['cc', 'notequals', BEN]) },
    [1],
  ],
  [
    'a change that is not the one to a value',
    {
      j_top: 'AND_G',
      ...charts(['bug_status', 'changedafter', '2024-01-01'], ['bug_status', 'changedto', 'CONFIRMED', true]),
    },
    [3],
  ],
  [
    'the full text, which is one value',
    { j_top: 'AND_G', ...charts(['content', 'matches', 'alpha'], ['content', 'notmatches', '+gamma']) },
    [2],
  ],
  [
    'a change to a value since a time',
    { chfield: 'bug_status', chfieldvalue: 'RESOLVED', chfieldfrom: '2024-01-01' },
    [3],
  ],
  [
    'a change to a value until a time',
    { chfield: 'bug_status', chfieldvalue: 'RESOLVED', chfieldto: '2021-01-01' },
    [3, 4],
  ],
  ['words inside of tags', { comment_tag: 'too me', comment_tag_type: 'allwords' }, [1]],
  ['a time before now, under its internal name', { delta_ts: '-1d', id: '1,2,3,4' }, []],
])('finds %s', async (_, query, expected) => {
  expect(await find(query)).toEqual(expected);
});

it.each(['last_change_time', 'creation_time'])('%s takes no time before now', async (name) => {
  expect(await find({ [name]: '-1d' })).toEqual([400, 56]);
});
