import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { openTable } from '../../lib/table/client.ts';
import { productIndexKey } from '../../lib/table/keys.ts';
import { setItem } from '../../lib/table/write.ts';
import { type FaultyBugless, startFaultyBugless } from '../support/faulty-bugless.ts';
import { violationsOf } from '../support/integrity.ts';
import { aBug, aComment, aProduct } from '../support/small-catalogue.ts';

const KEY = 'EditorKey0000000000000000000000000000000';

const users = [{ login: 'editor@example.com', groups: ['editbugs', 'secret'], api_keys: [{ key: KEY }] }];
/** A bug whose comment has its id. */
const bugOf = (id: number, more: object = {}) =>
  aBug(id, { comments: [aComment('Description', { id })], ...more });
const tracker = () =>
  parseCatalogue({
    groups: [{ name: 'editbugs' }, { name: 'secret' }],
    users,
    products: [
      aProduct(),
      aProduct(2, 'Beta', { group_controls: [{ group: 'secret', membercontrol: 'SHOWN' }] }),
    ],
    bugs: [...[1, 2, 3].map((id) => bugOf(id)), bugOf(4, { product: 'Beta', groups: ['secret'] })],
  });
const restricted = () =>
  parseCatalogue({
    products: [{ name: 'Beta', group_controls: [{ group: 'secret', membercontrol: 'MANDATORY' }] }],
  });

const inBeta = { product: 'Beta', component: 'Core', version: '1' };
const put =
  (id: number, body: object, expected = 200) =>
  async ({ faulty }: FaultyBugless) => {
    const { status } = await faulty.call('PUT', `/rest/bug/${id}`, { key: KEY, body });
    expect(status).toBe(expected);
  };
/** Applies a catalogue through the proxy. */
const apply =
  (bug: object) =>
  async ({ healthy, proxy }: FaultyBugless) => {
    await applyCatalogue(openTable(healthy.table.name, proxy.endpoint), parseCatalogue({ bugs: [bug] }));
  };

/** Whether a transaction writes the item of a bug. */
const writesBug =
  (id: number) =>
  ({ TransactItems = [] }: { TransactItems?: object[] }) =>
    JSON.stringify(TransactItems).includes(`"BUG#${id}"`);

it.each<[string, number[], (bugless: FaultyBugless) => Promise<void>]>([
  [
    'POST',
    [5],
    async ({ faulty }) => {
      const body = { ...inBeta, summary: 'New', description: 'Text' };
      expect((await faulty.call('POST', '/rest/bug', { key: KEY, body })).body).toEqual({ id: 5 });
    },
  ],
  ['PUT that moves a bug', [1], put(1, inBeta)],
  ['PUT that moves a bug and makes it a duplicate', [1], put(1, { ...inBeta, dupe_of: 2 })],
  ['PUT that moves several bugs', [1, 2, 3], put(1, { ...inBeta, ids: [2, 3] })],
  ['PUT that removes the group', [4], put(4, { groups: { remove: ['secret'] } }, 401)],
  ['catalogue with a new bug', [6], apply(bugOf(6, { product: 'Beta' }))],
  ['catalogue that moves a bug', [1], apply(bugOf(1, { product: 'Beta' }))],
  ['catalogue that removes the group', [4], apply(bugOf(4, { product: 'Beta', groups: [] }))],
])('a bug stays restricted where its product becomes so meanwhile: %s', async (_, ids, change) => {
  const bugless = await startFaultyBugless({}, tracker());
  const { healthy, from } = bugless;
  const [first = 0] = ids;
  let isOver = false;
  from(({ operation, body }) => {
    if (isOver || operation !== 'TransactWriteItems' || !writesBug(first)(body)) return 'pass';
    isOver = true;
    return { after: applyCatalogue(healthy.table, restricted()) };
  });
  await change(bugless).catch((error: unknown) => {
    // A catalogue that contradicts the product is refused.
    expect(String(error)).toContain('secret');
  });
  expect(isOver).toBe(true);
  for (const id of ids) {
    const { status } = await healthy.call('GET', `/rest/bug/${id}`);
    expect([id, status]).toEqual([id, 401]);
  }
  expect(await violationsOf(healthy.table)).toEqual([]);
});

it('a bug is filed into a product whose index entry has no revision, as early versions wrote it', async () => {
  const { healthy, faulty } = await startFaultyBugless({}, tracker());
  await setItem(healthy.table, productIndexKey(2), { revision: undefined });
  const body = { ...inBeta, summary: 'New', description: 'Text' };
  expect((await faulty.call('POST', '/rest/bug', { key: KEY, body })).status).toBe(200);
});
