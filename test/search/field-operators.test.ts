import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { TIMEOUT } from '../support/check-property.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { isLong } from '../support/sample.ts';

const { catalogue, keys } = openRecording('bugs');
const ALL = '1-40';

/** What a Bugzilla 5.2 answered to `f1=FIELD&o1=OPERATOR&v1=VALUE`, some with `n1=1`: ids, or status and code. */
const recorded = readFileSync(join(import.meta.dirname, '../reference/field-operators.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [field = '', operator = '', given = '', found = ''] = line.split('\t');
    const isNegated = given.startsWith('not ');
    return { field, operator, value: isNegated ? given.slice(4) : given, isNegated, found };
  });

/** Where the answers differ on purpose: functions/bugs/README.md 3.2. By field and operator; absent: what is found here. */
const DIFFERENCES = new Map<string, string | undefined>([
  // A text that is no time is refused; MySQL takes it for no time, or for a text.
  ...['creation_ts notequals', 'creation_ts lessthan', 'creation_ts greaterthaneq', 'creation_ts lessthaneq']
    .concat(['deadline equals', 'deadline notequals', 'deadline greaterthan', 'deadline greaterthaneq'])
    .map((pair) => [pair, '400/56'] as const),
  // What is not there is empty; Bugzilla finds nothing, or the contrary.
  ['alias isempty', '2-3,5-6,8-25,27-37,39-40'],
  ['attachments.filename isempty', ALL],
  ['attachments.description isempty', ALL],
  ['attachments.description isnotempty', ''],
  ['attachments.mimetype isnotempty', ''],
  ['flagtypes.name isnotempty', ''],
  // A condition negated twice holds again; Bugzilla forgets one of them.
  ['flagtypes.name notsubstring', ALL],
  // Hours are compared as numbers, not as the texts `1.50`; MySQL reads the number that a text begins with.
  ['estimated_time anywords', '2,38'],
  ['estimated_time anyexact', ''],
  ['dependson anyexact', ''],
  ['blocked anyexact', ''],
]);

/** Ids as `1-3,5`. */
function ranges(ids: readonly number[]): string {
  const found: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === id - 1) last[1] = id;
    else found.push([id, id]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join();
}

const withoutIds = (found: string): string => {
  const missing = new Set(Array.from({ length: 40 }, (_, at) => at + 1));
  for (const range of found === '' ? [] : found.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number);
    for (let id = from; id <= to; id += 1) missing.delete(id);
  }
  return ranges([...missing]);
};

const bugless = useStarted(() => startBugless(catalogue(), RECORDED_SETTINGS));

async function find(query: string, caller = 'admin'): Promise<string> {
  const { status, body } = await bugless.call('GET', `/rest/bug?${query}`, { key: keys.get(caller) });
  return status === 200 ? ranges(body.bugs.map(({ id }: { id: number }) => id)) : `${status}/${body.code}`;
}

const chart = (field: string, operator: string, value: string, isNegated = false): string =>
  `f1=${field}&o1=${operator}&v1=${encodeURIComponent(value)}${isNegated ? '&n1=1' : ''}`;

const pairs = [...new Set(recorded.map(({ field, operator }) => `${field} ${operator}`))];

it.each(pairs)(
  'values by comma, blank and both are found as in Bugzilla, or differ as documented: %s',
  async (pair) => {
    const ofPair = recorded.filter(({ field, operator }) => `${field} ${operator}` === pair);
    for (const { field, operator, value, isNegated, found } of ofPair) {
      const different = DIFFERENCES.get(pair);
      const here = isNegated && !different?.includes('/') ? withoutIds(different ?? '') : different;
      const expected = different === undefined ? found : here;
      expect([value, isNegated, await find(chart(field, operator, value, isNegated))]).toEqual([
        value,
        isNegated,
        expected,
      ]);
    }
  },
);

it.each([
  ['a phrase in another field than the full text', chart('short_desc', 'matches', 'x'), '400/32000'],
  ['a word for a boolean', chart('everconfirmed', 'equals', 'true'), '400/52'],
  ['a word for a flag of attachments', chart('attachments.ispatch', 'equals', 'yes'), '400/52'],
  ['a number between spaces', chart('bug_id', 'equals', ' 3 '), '400/52'],
  [
    'the time of idle owners that changed',
    chart('owner_idle_time', 'changedafter', '2024-01-01'),
    '400/32000',
  ],
  ['a joiner in lower case', `j_top=or&${chart('bug_id', 'equals', '1')}`, '400/32000'],
  [
    'a group within AND_G',
    `j_top=AND_G&${chart('bug_id', 'equals', '1')}&f2=OP&f3=bug_id&o3=equals&v3=1&f4=CP`,
    '400/32000',
  ],
  [
    'products joined by AND_G',
    `j_top=AND_G&${chart('product', 'equals', 'x')}&f2=product&o2=equals&v2=x`,
    '400/32000',
  ],
  ['a single classification in AND_G', `j_top=AND_G&${chart('classification', 'equals', 'x')}`, '400/32000'],
  [
    'another field in AND_G, before the fields are looked up',
    `j_top=AND_G&${chart('nosuch', 'equals', 'x')}&f2=bug_id&o2=equals&v2=1`,
    '400/32000',
  ],
  [
    'another field without a value in AND_G',
    `j_top=AND_G&${chart('bug_id', 'equals', '1')}&f2=product&o2=changedto&v2=`,
    '400/32000',
  ],
  ['the full text by its parts', chart('content', 'substring', 'crash'), '400/32000'],
  ['the full text by its changes', chart('content', 'changedafter', '2024-01-01'), '400/32000'],
  ['the full text without a type of its own', 'content=crash&content_type=equals', '400/32000'],
  ['an offset that is no number', 'limit=2&offset=x', '400/52'],
  ['an offset without a limit, whatever it is', 'offset=x', '400/50'],
  ['an offset without a limit and a value', 'offset=', '400/50'],
  ['an unknown field before a limit', `limit=x&${chart('nosuch', 'equals', 'x')}`, '400/108'],
])('charts that are refused, as in Bugzilla %s', async (_, query, expected) => {
  expect(await find(query)).toBe(expected);
});

it.each(["quicksearch=users' rights", 'quicksearch=crash\\'])(
  'a quicksearch whose quotes do not fit together is refused: %s',
  async (query) => {
    expect(await find(query)).toBe('400/32000');
  },
);

it.each(['tag=,', 'id=%20,%20', 'f1=cc&o1=anyexact&v1=,,', 'j_top=and'])(
  'what compares nothing is no condition: %s',
  async (query) => {
    expect(await find(query)).toBe(ALL);
  },
);

describe('`---` for fields with any number of values', () => {
  it.each(['keywords', 'bug_group', 'see_also', 'tag', 'cf_multi'])('is none: %s', async (field) => {
    const none = await find(chart(field, 'isempty', ''));
    expect(none).not.toBe('');
    expect(await find(chart(field, 'equals', '---'))).toBe(none);
    expect(await find(chart(field, 'anywords', ' --- '))).toBe(none);
    expect(await find(chart(field, 'notequals', '---'))).toBe(await find(chart(field, 'isnotempty', '')));
  });

  it('is a text of others', async () => {
    expect(await find(chart('short_desc', 'substring', '---'))).toBe('');
  });
});

it.each([
  ['begins an exclusion anew after each alternative', 'ALL -xml|crash', 'ALL -xml crash'],
  ['takes `ALL+` for a word', 'ALL+', 'ALL summary:ALL+'],
  ['leaves out what has neither field nor value', 'OPEN : =x', 'OPEN'],
  ['leaves out alternatives without a word', 'ALL crash||', 'ALL crash'],
  ['leaves out an exclusion of nothing', 'ALL crash -', 'ALL crash'],
  ['leaves out an exclusion of nothing between alternatives', 'ALL -|crash', 'ALL crash'],
  ['has words of the full text by its field', 'ALL content:"crash memory"', 'ALL content:"memory crash"'],
])('a quicksearch %s', async (_, one, other) => {
  const [a, b] = [one, other].map((text) => find(`quicksearch=${encodeURIComponent(text)}`));
  expect(await a).toBe(await b);
});

const OPERATORS =
  'equals notequals anyexact substring casesubstring notsubstring regexp notregexp lessthan lessthaneq greaterthan ' +
  'greaterthaneq anywordssubstr allwordssubstr nowordssubstr anywords allwords nowords matches notmatches isempty ' +
  'isnotempty changedfrom changedto changedby changedbefore changedafter';
const VALUES = [
  ...['1', '1,2', '1 2', '1, 2', '1 1', 'crash', 'admin@example.com', '2024-01-08', '%user%', '---', 'ÜN'],
];
const all = BUILT_IN_FIELDS.filter(({ id }) => id !== undefined).flatMap(({ name }) =>
  OPERATORS.split(' ').flatMap((operator) => VALUES.map((value) => [name, operator, value] as const)),
);
// `npm test` makes some of these searches, a run with `RUNS` more.
const step = isLong ? 5 : 801;

it(
  'conditions on any field with any operator are answered, and negated ones find all the others',
  async () => {
    for (const [field, operator, value] of all.filter((_, at) => at % step === 0)) {
      const found = await find(chart(field, operator, value));
      const others = await find(chart(field, operator, value, true));
      const isAnswered = !found.includes('/');
      expect([field, operator, value, others]).toEqual([
        ...[field, operator, value],
        isAnswered ? withoutIds(found) : found,
      ]);
      if (!isAnswered) expect(found).toMatch(/^40[01]\//);
    }
  },
  TIMEOUT,
);
