import { Readable } from 'node:stream';
import { text as consumeText } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { exportCatalogue } from '../../lib/catalogue/export.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { type Account, accountRepository } from '../../lib/users/account-repository.ts';
import { InvalidAccount } from '../../lib/users/validation.ts';
import { type Bugless, newTable, serve, startBugless } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const OPERATIONS = 60;
const { SEED, RUNS = '4' } = process.env;

/** Characters that rules are about: control, invisible, white space, case, normal forms, halves of pairs, syntax. */
const oddCharacter = fc.constantFrom(
  ...'\u0000\u0007\u001b\u0085\u00a0\u00ad\u061c\u200b\u200d\u202e\u2028\u2066\ufeff\ufffe\t\n\r',
  ...'ςσΣßİıÅå\u0301\u0308ﬁ—🪐#/%,;"\\<&.',
  '\ud83e',
  '__proto__',
);
const character = fc.oneof(
  { weight: 3, arbitrary: oddCharacter },
  { weight: 5, arbitrary: fc.constantFrom(...'abcXYZ019 -_') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const text = fc.oneof(
  fc.array(character, { maxLength: 12 }).map((all) => all.join('')),
  // With one odd character only, so that it is accepted more often.
  fc
    .tuple(fc.constantFrom('', 'a', 'Ab c'), character, fc.constantFrom('', 'z', ' yz'))
    .map((all) => all.join('')),
);
const number = fc.oneof(fc.double(), fc.constantFrom('1e-7', '5.55e-17', '0.005', '99999.99', '-1'), text);
const flag = fc.oneof(fc.boolean(), fc.constantFrom(0, 1, '0', null));
const optional = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(fields, { requiredKeys, noNullPrototype: true });
const id = (max: number) => fc.integer({ min: 1, max });

/** A write through the interface, or of a user or group by the operator. */
type Write = { method: string; path: string; body: object } | { account: Account } | { group: string };

const write: fc.Arbitrary<Write> = fc.oneof(
  optional(
    {
      name: text,
      description: text,
      version: text,
      default_milestone: text,
      is_open: flag,
      has_unconfirmed: flag,
    },
    ['name', 'description', 'version'],
  ).map((body) => ({ method: 'POST', path: '/rest/product', body })),
  fc
    .tuple(id(4), optional({ name: text, description: text, default_milestone: text, is_open: flag }))
    .map(([product, body]) => ({ method: 'PUT', path: `/rest/product/${product}`, body })),
  optional(
    {
      summary: text,
      description: text,
      alias: fc.oneof(text, fc.array(text, { maxLength: 3 })),
      whiteboard: text,
      url: text,
      see_also: fc.array(fc.oneof(text, fc.constant('https://bugzilla.mozilla.org/show_bug.cgi?id=1')), {
        maxLength: 2,
      }),
      deadline: fc.constantFrom('2026-02-28', '2026-02-30', ''),
      estimated_time: number,
      comment_is_private: flag,
      depends_on: fc.array(id(4), { maxLength: 2 }),
    },
    ['summary'],
  ).map((body) => ({
    method: 'POST',
    path: '/rest/bug',
    body: { product: 'Alpha', component: 'Core', version: '1.0', ...body },
  })),
  fc
    .tuple(
      id(4),
      optional({
        summary: text,
        whiteboard: text,
        url: text,
        alias: optional({ add: fc.array(text, { maxLength: 2 }) }),
        comment: optional({ body: text, is_private: flag }),
        comment_tags: fc.array(text, { maxLength: 2 }),
        status: fc.constantFrom('RESOLVED', 'CONFIRMED', 'IN_PROGRESS'),
        resolution: fc.constantFrom('FIXED', ''),
        remaining_time: number,
        work_time: number,
        cc: optional({ add: fc.constant(['plain@example.com']) }),
      }),
    )
    .map(([bug, body]) => ({ method: 'PUT', path: `/rest/bug/${bug}`, body })),
  fc
    .tuple(id(4), optional({ comment: text, is_private: flag, work_time: number }, ['comment']))
    .map(([bug, body]) => ({ method: 'POST', path: `/rest/bug/${bug}/comment`, body })),
  fc
    .tuple(id(20), fc.array(text, { maxLength: 4 }))
    .map(([comment, add]) => ({ method: 'PUT', path: `/rest/bug/comment/${comment}/tags`, body: { add } })),
  fc.record({ login: text, real_name: text, disabled: fc.option(text, { nil: undefined }) }).map((given) => ({
    account: { user: { id: 0, groups: [], ...given }, keys: [] },
  })),
  text.map((group) => ({ group })),
);

const exported = (bugless: Pick<Bugless, 'table'>) =>
  consumeText(Readable.from(exportCatalogue(bugless.table)));

/** What clients can read. */
async function responses({ call }: Bugless): Promise<unknown[]> {
  const read = async (path: string) => (await call('GET', path, { key: keys.admin })).body;
  const bugs = await read('/rest/bug');
  const ids: number[] = bugs.bugs.map((bug: { id: number }) => bug.id);
  const [first, ...others] = ids;
  const query = others.map((other) => `ids=${other}`).join('&');
  return [
    bugs,
    await read('/rest/product?type=accessible'),
    await read(`/rest/bug/${first}/comment?${query}`),
    await read(`/rest/bug/${first}/history?${query}`),
    await read('/rest/user?match=*a*'),
    ...(await Promise.all(
      [...'aσz1'].map((part) => read(`/rest/bug/comment/tags/${encodeURIComponent(part)}`)),
    )),
  ];
}

async function perform(bugless: Bugless, next: Write): Promise<boolean> {
  const accounts = accountRepository(bugless.table);
  try {
    if ('group' in next) {
      const [existing] = await accounts.groups([next.group]);
      if (existing !== undefined) return false;
      await accounts.putGroup({
        id: await accounts.allocateGroupId(),
        name: next.group,
        description: next.group,
      });
      return true;
    }
    if ('account' in next) {
      const existing = await accounts.read(next.account.user.login);
      if (existing !== undefined) return false;
      const user = { ...next.account.user, id: await accounts.allocateUserId() };
      return await accounts.write(undefined, { ...next.account, user });
    }
  } catch (error) {
    if (error instanceof InvalidAccount) return false;
    throw error;
  }
  const { status } = await bugless.call(next.method, next.path, { key: keys.admin, body: next.body });
  expect(status).toBeLessThan(500);
  return status < 300;
}

it('whatever is accepted can be exported and applied to an empty table, with the same responses', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: OPERATIONS, maxLength: OPERATIONS }), async (writes) => {
      const original = await startBugless();
      for (const next of writes) if (await perform(original, next)) accepted += 1;
      const file = await exported(original);
      const table = await newTable();
      await applyCatalogue(table, parseCatalogue(JSON.parse(file)));
      const restored = await serve(table);
      expect(await responses(restored)).toEqual(await responses(original));
      expect(await exported(restored)).toBe(file);
    }),
    { numRuns: Number(RUNS), endOnFailure: true, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
  expect(accepted).toBeGreaterThan(OPERATIONS / 2);
});
