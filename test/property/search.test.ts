import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { timestamp } from '../../lib/base/time.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { putBugActions } from '../../lib/bugs/store/write-bug.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { transactWrite } from '../../lib/table/write.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { type CompleteBug, parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { completeIndex } from '../support/complete-index.ts';

/** Searches are compared with a filter that looks at every bug, on function instances that have searched, and on new ones. */

const groupsOf: Record<string, string[]> = {
  ann: ['team-a', 'team-b', 'insiders'],
  bob: ['team-a'],
  cid: [],
};
const users = Object.keys(groupsOf);
const loginOf = (user: string) => `${user}@example.com`;
const keyOf = (user: string) => user.padEnd(40, '0');

const products = ['Alpha', 'Beta', 'Gamma'];
const statuses = ['UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'VERIFIED'];
const priorities = ['Highest', 'High', 'Normal', 'Low', 'Lowest', '---'];
const words = ['moon', 'sun', 'star', 'Größe'];
const keywords = ['red', 'green'];
const said = ['crash', 'Leak', 'zoom', 'the', 'λόγος', 'moon', 'sun-star'];
/** Who is not in its group sees only those of its bugs that they take part in. */
const HIDDEN = { product: 'Gamma', group: 'team-b' };

/** Values that the change log, or segments, leave out, and people who make entries longer. */
const longTexts = [`left ${'x'.repeat(450)}`, `left ${'x'.repeat(700)}`, `right ${'y'.repeat(20_000)}`];
const crowd = Array.from({ length: 40 }, (_, n) => `somebody.in.the.crowd.${n}@example.com`);

const some = <T>(values: readonly T[], maxLength: number) =>
  fc.uniqueArray(fc.constantFrom(...values), { maxLength });
const login = fc.constantFrom(...users.map(loginOf));
const day = fc.integer({ min: 1, max: 28 }).map((date) => `2024-03-${String(date).padStart(2, '0')}`);
const phrase = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(' '));

const comment = fc.record({
  text: fc.array(fc.constantFrom(...said), { minLength: 1, maxLength: 4 }).map((all) => all.join(' ')),
  creator: login,
  is_private: fc.boolean(),
});

const bug = fc.record({
  product: fc.constantFrom(...products),
  summary: phrase,
  status: fc.constantFrom(...statuses),
  priority: fc.constantFrom(...priorities),
  reporter: login,
  assigned_to: login,
  cc: fc
    .tuple(some(users.map(loginOf), 2), fc.constantFrom([], [], crowd))
    .map((parts) => parts.flat().toSorted()),
  groups: some(['team-a', 'team-b'], 2),
  keywords: some(keywords, 2),
  whiteboard: fc.constantFrom('', 'left', 'right', ...longTexts),
  created: day,
  comments: fc.array(comment, { minLength: 1, maxLength: 3 }),
});

/** A condition: the parameters that ask for it, and which bugs meet it. */
interface Criterion {
  query: [name: string, value: string][];
  /** @param comments those that the caller may see */
  isMet(bug: CompleteBug, comments: CompleteBug['comments']): boolean;
}
const criterion = <T>(values: fc.Arbitrary<T>, make: (value: T) => Criterion): fc.Arbitrary<Criterion> =>
  values.map(make);

const named = (name: string, values: readonly string[]) =>
  values.map((value): [string, string] => [name, value]);
const includes = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
const chart = (n: number, field: string, operator: string, value: string): [string, string][] => [
  [`f${n}`, field],
  [`o${n}`, operator],
  [`v${n}`, value],
];
const lastChange = ({ comments, last_change_time }: CompleteBug) =>
  last_change_time ?? comments.at(-1)?.creation_time ?? '';

/** Whether a text has a whole word. */
const hasWord = (text: string, word: string) =>
  ` ${text.toLowerCase().replaceAll('-', ' ')} `.includes(` ${word.toLowerCase()} `);

const criteria: fc.Arbitrary<Criterion>[] = [
  criterion(fc.uniqueArray(fc.constantFrom(...products), { minLength: 1, maxLength: 2 }), (names) => ({
    query: named('product', names),
    isMet: ({ product }) => names.includes(product),
  })),
  criterion(fc.uniqueArray(fc.constantFrom(...statuses), { minLength: 1, maxLength: 3 }), (names) => ({
    query: named('status', names),
    isMet: ({ status }) => names.includes(status),
  })),
  criterion(fc.constant('__open__'), (status) => ({
    query: [['status', status]],
    isMet: (one) => !['RESOLVED', 'VERIFIED'].includes(one.status),
  })),
  criterion(fc.constantFrom(...priorities), (priority) => ({
    query: [['priority', priority.toLowerCase()]],
    isMet: (one) => one.priority === priority,
  })),
  criterion(fc.constantFrom('ann', 'B', 'example', 'absent'), (part) => ({
    query: [['assigned_to', part]],
    isMet: ({ assigned_to }) => includes(assigned_to, part),
  })),
  criterion(login, (creator) => ({
    query: [['creator', creator]],
    isMet: ({ reporter }) => reporter === creator,
  })),
  criterion(fc.constantFrom('ann', 'cid@'), (part) => ({
    query: [['cc', part]],
    isMet: ({ cc }) => cc.some((one) => includes(one, part)),
  })),
  criterion(fc.uniqueArray(fc.constantFrom('mo', 'SUN', 'größe', 'star'), { minLength: 1 }), (parts) => ({
    query: [['summary', parts.join(' ')]],
    isMet: ({ summary }) => parts.every((part) => includes(summary, part)),
  })),
  criterion(some(keywords, 2), (names) => ({
    query: [['keywords', names.join(',')]],
    isMet: (one) => names.every((name) => (one.keywords ?? []).includes(name)),
  })),
  criterion(day, (since) => ({
    query: [['last_change_time', since]],
    isMet: (one) => lastChange(one) >= since,
  })),
  criterion(day, (since) => ({
    query: [['creation_time', `${since}T00:00:00Z`]],
    isMet: ({ comments }) => (comments[0]?.creation_time ?? '') >= since,
  })),
  criterion(fc.integer({ min: 1, max: 40 }), (id) => ({
    query: chart(1, 'bug_id', 'greaterthan', String(id)),
    isMet: (one) => (one.id ?? 0) > id,
  })),
  criterion(fc.constantFrom(...users.map(loginOf)), (user) => ({
    query: chart(2, 'cc', 'notequals', user),
    isMet: ({ cc }) => !cc.includes(user),
  })),
  criterion(fc.constant('left'), (word) => ({
    query: [...chart(3, 'status_whiteboard', 'equals', word), ['n3', '1']],
    isMet: ({ whiteboard }) => whiteboard !== word,
  })),
  criterion(fc.constantFrom('left', 'RIGHT y', 'xxx', 'absent'), (part) => ({
    query: chart(10, 'status_whiteboard', 'substring', part),
    isMet: ({ whiteboard = '' }) => includes(whiteboard, part),
  })),
  criterion(fc.constantFrom('crowd.7@', 'crowd'), (part) => ({
    query: chart(11, 'cc', 'substring', part),
    isMet: ({ cc }) => cc.some((one) => includes(one, part)),
  })),
  criterion(fc.uniqueArray(fc.integer({ min: 1, max: 45 }), { minLength: 1, maxLength: 6 }), (ids) => ({
    query: [['id', ids.join(',')]],
    isMet: ({ id = 0 }) => ids.includes(id),
  })),
  criterion(fc.constantFrom('crash', 'ZOOM', 'moon', 'star', 'λόγος', 'absent', 'leak zoom'), (word) => ({
    query: chart(4, 'content', 'matches', word),
    isMet: ({ summary }, comments) =>
      [summary, ...comments.map(({ text }) => text)].some((text) =>
        word.split(' ').some((one) => hasWord(text, one)),
      ),
  })),
  criterion(
    fc.constantFrom<[string, (has: (word: string) => boolean) => boolean]>(
      ['+crash +leak', (has) => has('crash') && has('leak')],
      ['crash -zoom', (has) => has('crash') && !has('zoom')],
      ['+moon crash', (has) => has('moon')],
      ['cra* -moon', (has) => has('crash') && !has('moon')],
      ['+(crash zoom) -leak', (has) => (has('crash') || has('zoom')) && !has('leak')],
      ['"sun star" +moon', (has) => has('moon')],
      ['-crash', () => false],
    ),
    ([text, isMetBy]) => ({
      query: chart(12, 'content', 'matches', text),
      isMet: ({ summary }, comments) =>
        [summary, comments.map((one) => one.text).join(' ')].some((all) =>
          isMetBy((word) => hasWord(all, word)),
        ),
    }),
  ),
  criterion(fc.uniqueArray(fc.constantFrom('crash', 'leak', 'absent'), { minLength: 1 }), (some) => ({
    query: chart(5, 'longdesc', 'anywords', some.join(' ')),
    isMet: (_, comments) => comments.some(({ text }) => some.some((word) => hasWord(text, word))),
  })),
  criterion(fc.uniqueArray(fc.constantFrom('crash', 'leak', 'ZOOM'), { minLength: 2 }), (all) => ({
    query: chart(6, 'longdesc', 'allwords', all.join(' ')),
    isMet: (_, comments) => comments.some(({ text }) => all.every((word) => hasWord(text, word))),
  })),
  criterion(fc.constantFrom('ash zo', 'leak', 'm crash l', 'zoom the Leak'), (part) => ({
    query: chart(7, 'longdesc', 'substring', part),
    isMet: (_, comments) => comments.some(({ text }) => includes(text, part)),
  })),
  criterion(login, (user) => ({
    query: chart(8, 'commenter', 'equals', user),
    isMet: (_, comments) => comments.some(({ creator }) => creator === user),
  })),
  criterion(fc.constantFrom('crash', 'moon'), (word) => ({
    query: [...chart(9, 'content', 'matches', word), ['n9', '1']],
    isMet: ({ summary }, comments) =>
      ![summary, ...comments.map(({ text }) => text)].some((text) => hasWord(text, word)),
  })),
];
const search = fc.record({
  by: fc.constantFrom(undefined, ...users),
  // Of each kind one: a second would be an alternative, not a further condition.
  criteria: fc
    .uniqueArray(fc.nat(criteria.length - 1), { maxLength: 3 })
    .filter((kinds) => !(kinds.includes(1) && kinds.includes(2)))
    .chain((kinds) => fc.tuple(...kinds.flatMap((kind) => criteria[kind] ?? []))),
  order: fc.constantFrom(undefined, 'bug_id', 'bug_id DESC', 'priority', 'changeddate', 'changeddate DESC'),
  limit: fc.constantFrom(undefined, 1, 5, 100),
  offset: fc.constantFrom(0, 0, 3),
});

function isVisible(one: CompleteBug, user: string | undefined): boolean {
  const mine = user === undefined ? [] : (groupsOf[user] ?? []);
  if (one.groups.every((group) => mine.includes(group))) return true;
  return user !== undefined && [one.reporter, one.assigned_to, ...one.cc].includes(loginOf(user));
}

function inOrder(bugs: CompleteBug[], order: string | undefined): CompleteBug[] {
  const keyOfBug = (one: CompleteBug): string | number => {
    if (order === 'priority') return priorities.indexOf(one.priority ?? '');
    return order?.startsWith('changeddate') ? lastChange(one) : (one.id ?? 0);
  };
  const direction = order?.endsWith('DESC') ? -1 : 1;
  return bugs.toSorted((a, b) => {
    const [left, right] = [keyOfBug(a), keyOfBug(b)];
    return (left < right ? -1 : left > right ? 1 : 0) * direction || (a.id ?? 0) - (b.id ?? 0);
  });
}

/** Searches of which one is the first of its function instance. */
const COLD_EVERY = 15;

let bugless: Bugless;
let bugs: CompleteBug[];
beforeAll(async () => {
  const [sample = []] = fc.sample(fc.array(bug, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed: 7 });
  const catalogue = parseCompleteCatalogue({
    groups: ['team-a', 'team-b', 'insiders'].map((name) => ({ name })),
    users: users.map((user) => ({
      login: loginOf(user),
      groups: groupsOf[user],
      api_keys: [{ key: keyOf(user) }],
    })),
    keywords: keywords.map((name) => ({ name })),
    products: products.map((name) => ({
      name,
      components: [{ name: 'Core' }],
      versions: [{ name: '1.0' }],
      group_controls:
        name === HIDDEN.product
          ? [{ group: HIDDEN.group, entry: true, membercontrol: 'MANDATORY', canedit: false }]
          : [],
    })),
    bugs: sample.map(({ created, comments, ...fields }, index) => ({
      ...fields,
      groups:
        fields.product === HIDDEN.product ? [...new Set([...fields.groups, HIDDEN.group])] : fields.groups,
      id: index + 1,
      component: 'Core',
      ...(['RESOLVED', 'VERIFIED'].includes(fields.status) ? { resolution: 'FIXED' } : {}),
      comments: [
        { text: 'd', creator: fields.reporter, creation_time: `${created}T08:00:00Z` },
        ...comments.map((one, count) => ({ ...one, creation_time: `${created}T1${count}:00:00Z` })),
      ],
    })),
  });
  bugs = catalogue.bugs;
  bugless = await startBugless(catalogue);
});

/** Writes some of the bugs again, so that the change log has them though segments do. */
async function writeAgain(table: Table): Promise<void> {
  for (const { id = 0 } of bugs.filter((_, place) => place % 3 === 0)) {
    const bug = bugItem.parse(await readItem(table, bugKey(id), bugItem));
    const next = { ...bug, revision: bug.revision + 1 };
    await transactWrite(table, putBugActions(bug, next, timestamp(new Date())));
  }
}

const STAGES: [where: string, prepare: (table: Table) => Promise<void>][] = [
  ['in the change log', async () => undefined],
  ['in segments', completeIndex],
  ['in both', writeAgain],
];

it.each(STAGES)(
  'a search of bugs %s returns what a filter over all visible bugs returns, in order',
  async (_, prepare) => {
    await prepare(bugless.table);
    const numRuns = Math.ceil(Number(process.env['RUNS'] ?? 60) / STAGES.length);
    let runs = 0;
    const warm = await bugless.startAnother();
    await fc.assert(
      fc.asyncProperty(search, async ({ by, criteria: desired, order, limit, offset }) => {
        const query = new URLSearchParams(desired.flatMap((one) => one.query));
        query.set('include_fields', 'id');
        if (order !== undefined) query.set('order', order);
        if (limit !== undefined) query.set('limit', String(limit));
        if (limit !== undefined && offset > 0) query.set('offset', String(offset));
        const key = by === undefined ? undefined : keyOf(by);
        const isInsider = by !== undefined && groupsOf[by]?.includes('insiders') === true;
        const matching = bugs.filter((one) => {
          const comments = one.comments.filter(({ is_private }) => isInsider || is_private !== true);
          return isVisible(one, by) && desired.every((criterion) => criterion.isMet(one, comments));
        });
        const first = limit === undefined ? 0 : offset;
        const expected = inOrder(matching, order).slice(
          first,
          limit === undefined ? undefined : first + limit,
        );
        const isCold = runs % COLD_EVERY === 0;
        const instance = isCold ? await bugless.startAnother() : warm;
        const { status, body } = await instance.call('GET', `/rest/bug?${query}`, { key });
        const { total_matches: total = matching.length, ...found } = body;
        runs += 1;
        expect([status, found]).toEqual([200, { bugs: expected.map(({ id }) => ({ id })) }]);
        expect(total).toBe(matching.length);
      }),
      { numRuns },
    );
  },
);
