import { expect, it } from 'vitest';
import type { FieldChange } from '../../../lib/bugs/schema.ts';
import { missingHistory } from '../../../lib/bugs/store/missing-history.ts';

const ANN = 'ann@example.com';
const change = (field_name: string, added = 'new', removed = ''): FieldChange => ({
  ...{ field_name, removed, added },
});
const entry = (changes: FieldChange[], who = ANN, when = '2024-01-01T00:00:00Z') => ({
  ...{ bug_id: 1, when, who, changes },
});
const [status, cc, keywords] = ['status', 'cc', 'keywords'].map((name) => change(name));
const flags = (added: string) => change('flagtypes.name', added);
const all = [status, cc, keywords].filter((one) => one !== undefined);

const missing = (known: FieldChange[][], desired: FieldChange[][]) =>
  missingHistory(
    known.map((changes) => entry(changes)),
    desired.map((changes) => entry(changes)),
  );

it.each<[string, FieldChange[][], FieldChange[][]]>([
  ['in another order', [all], [all.toReversed()]],
  ['in two entries', [all], [all.slice(0, 1), all.slice(1)]],
  ['in one entry', [all.slice(0, 2), all.slice(2)], [all]],
  ['with elements in another order', [[flags('a?, b+')]], [[flags('b+, a?')]]],
  ['of one field, joined', [[flags('a?'), flags('b+')]], [[flags('b+, a?')]]],
  ['of one field, apart', [[flags('a?, b+')]], [[flags('b+')], [flags('a?')]]],
])('the changes of a second are not lacking: %s', (_, known, desired) => {
  expect(missing(known, desired)).toEqual([]);
});

it('another change in the same second is lacking alone', () => {
  expect(missing([all.slice(1)], [all])).toEqual([entry(all.slice(0, 1))]);
  expect(missing([[flags('a?')]], [[flags('b+')]])).toEqual([entry([flags('b+')])]);
});

it('the same change by somebody else, or in another second, is lacking', () => {
  const others = [entry(all, 'ben@example.com'), entry(all, ANN, '2024-01-01T00:00:01Z')];
  expect(missingHistory(others, [entry(all)])).toEqual([entry(all)]);
});
