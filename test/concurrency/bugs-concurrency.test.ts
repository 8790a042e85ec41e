import { describe, expect, it } from 'vitest';
import { startBuglessWithConflicts, useStarted } from '../support/bugless.ts';
import type { Call } from '../support/fault-proxy.ts';
import { onFirst, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aProduct } from '../support/small-catalogue.ts';

const CLIENTS = 6;
const KEY = 'editor'.padEnd(40, '0');
const logins = Array.from({ length: CLIENTS }, (_, n) => `user${String(n).padStart(2, '0')}@example.com`);

const catalogue = parseNumbered({
  groups: [{ name: 'editbugs' }],
  users: [
    { login: 'editor@example.com', groups: ['editbugs'], api_keys: [{ key: KEY }] },
    ...logins.map((login) => ({ login })),
  ],
  products: [aProduct()],
});

const bugless = useStarted(() => startBuglessWithConflicts(catalogue));

async function newBug(): Promise<number> {
  const body = { product: 'Alpha', component: 'Core', version: '1', summary: 's', description: 'd' };
  return (await bugless.call('POST', '/rest/bug', { key: KEY, body })).body.id;
}

const update = (bug: number, change: object) =>
  bugless.call('PUT', `/rest/bug/${bug}`, { key: KEY, body: change });
const read = async (bug: number) => (await bugless.call('GET', `/rest/bug/${bug}`)).body.bugs[0];

interface Change {
  field_name: string;
  removed: string;
  added: string;
}
const historyOf = async (bug: number): Promise<Change[]> => {
  const { body } = await bugless.call('GET', `/rest/bug/${bug}/history`);
  return body.bugs[0].history.flatMap(({ changes }: { changes: Change[] }) => changes);
};

it('bugs that are filed into one product at the same time are all created, once', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, newBug));
  expect(new Set(ids).size).toBe(8);
  const { body } = await bugless.call('GET', `/rest/bug?id=${ids.join()}&count_only=1`);
  expect(body.bug_count).toBe(8);
  await expectNoViolations(bugless.table);
});

describe('concurrent changes of one bug', () => {
  it('are all made, each on top of the others', async () => {
    const bug = await newBug();
    const replies = await Promise.all(logins.map((login) => update(bug, { cc: { add: [login] } })));
    expect(replies.map(({ status }) => status)).toEqual(logins.map(() => 200));
    expect((await read(bug)).cc).toEqual(logins);
    const changes = await historyOf(bug);
    expect(changes.map(({ added }) => added).toSorted()).toEqual(logins);
    expect(changes.every(({ removed }) => removed === '')).toBe(true);
    await expectNoViolations(bugless.table);
  });

  it('of one field form a sequence, which responses and history tell', async () => {
    const bug = await newBug();
    const values = logins.map((_, n) => `value ${n}`);
    const replies = await Promise.all(values.map((whiteboard) => update(bug, { whiteboard })));
    const told = replies.map(({ body }) => body.bugs[0].changes.whiteboard);
    const history = (await historyOf(bug)).map(({ removed, added }) => ({ removed, added }));
    expect(history).toHaveLength(CLIENTS);
    expect(told.toSorted(byAdded)).toEqual(history.toSorted(byAdded));
    expect(history.map(({ removed }) => removed)).toEqual(
      ['', ...history.map(({ added }) => added)].slice(0, -1),
    );
    expect((await read(bug)).whiteboard).toBe(history.at(-1)?.added);
    await expectNoViolations(bugless.table);
  });

  it('and comments on it do not lose each other', async () => {
    const bug = await newBug();
    const comment = (n: number) =>
      bugless.call('POST', `/rest/bug/${bug}/comment`, { key: KEY, body: { comment: `comment ${n}` } });
    const replies = await Promise.all(
      logins.flatMap((login, n) => [comment(n), update(bug, { cc: { add: [login] }, comment: `with ${n}` })]),
    );
    expect(replies.filter(({ status }) => status >= 300)).toEqual([]);
    const { body } = await bugless.call('GET', `/rest/bug/${bug}/comment`);
    const comments = body.bugs[bug].comments;
    expect(comments.map(({ count }: { count: number }) => count)).toEqual(
      Array.from({ length: 2 * CLIENTS + 1 }, (_, n) => n),
    );
    const { cc, last_change_time } = await read(bug);
    expect(cc).toEqual(logins);
    expect(last_change_time >= comments.at(-1).time).toBe(true);
    await expectNoViolations(bugless.table);
  });
});

describe('concurrent changes of several bugs', () => {
  it('leave dependencies that agree at both ends', async () => {
    const bugs = [await newBug(), await newBug(), await newBug()];
    const pairs = bugs.flatMap((bug) =>
      bugs.filter((other) => other !== bug).map((other) => [bug, other] as const),
    );
    const replies = await Promise.all(
      pairs.map(([bug, other]) => update(bug, { depends_on: { add: [other] } })),
    );
    expect(
      replies.map(({ status, body }) => body.code ?? status).every((code) => [200, 116].includes(code)),
    ).toBe(true);
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    await expectNoViolations(bugless.table);
  });

  it('give an alias to one of them', async () => {
    const bugs = await Promise.all(logins.map(newBug));
    const replies = await Promise.all(bugs.map((bug) => update(bug, { alias: 'wanted' })));
    expect(replies.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
      ...logins.slice(1).map(() => 103),
      200,
    ]);
    await expectNoViolations(bugless.table);
  });
});

const byAdded = (a: { added: string }, b: { added: string }) => (a.added < b.added ? -1 : 1);

it('hours of an update are those of the bug as another update has left it', async () => {
  const { faulty, healthy, from } = await startFaultyBugless();
  const options = (body: object) => ({ key: keys.admin, body });
  const addHours = healthy.call.bind(undefined, 'PUT', '/rest/bug/2', options({ remaining_time: 10 }));
  from(onFirst('TransactWriteItems', () => ({ after: addHours() })));
  const work = { work_time: 1, comment: { body: 'worked' } };
  const { body } = await faulty.call('PUT', '/rest/bug/2', options(work));
  expect(body.bugs[0].changes.remaining_time).toEqual({ removed: '10.00', added: '9' });
  const bug = (await healthy.call('GET', '/rest/bug/2', { key: keys.admin })).body.bugs[0];
  expect(bug.remaining_time).toBe(9);
});

it('a search names the component that a bug gets meanwhile, also a new one', async () => {
  const { faulty, healthy, from } = await startFaultyBugless();
  const send = (method: string, path: string, body: object) =>
    healthy.call(method, path, { key: keys.admin, body });
  const { body: bug } = await healthy.call('GET', '/rest/bug/2?include_fields=product', { key: keys.admin });
  const product = bug.bugs[0].product;
  const component = 'New meanwhile';
  const search = () =>
    faulty.call('GET', '/rest/bug?id=2&include_fields=product,component', { key: keys.admin });
  // Products are remembered.
  await search();
  const move = async () => {
    const made = { product, name: component, description: 'd', default_assignee: 'admin@example.com' };
    const { status } = await send('POST', '/rest/component', made);
    expect(status).toBe(201);
    expect((await send('PUT', '/rest/bug/2', { component })).status).toBe(200);
  };
  const readsBug = ({ body }: Call) => JSON.stringify(body).includes('"BUG#2"');
  let moved: Promise<void> | undefined;
  from((call) => {
    if (moved !== undefined || !readsBug(call)) return 'pass';
    moved = move();
    return { after: moved };
  });
  const { body: found } = await search();
  await moved;
  expect(found.bugs).toEqual([{ product, component }]);
});
