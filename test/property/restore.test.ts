import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { type Account, accountRepository } from '../../lib/people/account-repository.ts';
import { groupRepository } from '../../lib/people/group-repository.ts';
import { InvalidAccount } from '../../lib/people/validation.ts';
import { type Bugless, newTable, serve, startBugless } from '../support/bugless.ts';
import { catalogueOfLines, exported } from '../support/exported.ts';
import { keyOf, start } from '../support/random-requests/catalogue.ts';
import { asHttp, type Request, write } from '../support/random-requests/requests.ts';

const OPERATIONS = 60;
const { SEED, RUNS = '1' } = process.env;

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
/** A write through the interface, in which one text may be an odd one. */
const request = fc
  .tuple(write, fc.option(text), fc.nat())
  .map(([{ body = {}, ...rest }, odd, place]): Request => {
    const names = Object.keys(body);
    const name = names[place % names.length];
    return { ...rest, body: odd === null || name === undefined ? body : { ...body, [name]: odd } };
  });
const account = fc
  .record({ login: text, real_name: text, disabled: fc.option(text, { nil: undefined }) })
  .map((given): { account: Account } => ({ account: { user: { id: 0, groups: [], ...given }, keys: [] } }));

/** A write through the interface, or of a user or group by the operator. */
type Write = { request: Request } | { account: Account } | { group: string };
const arbitraryWrite: fc.Arbitrary<Write> = fc.oneof(
  { weight: 6, arbitrary: request.map((given) => ({ request: given })) },
  account,
  text.map((group) => ({ group })),
);

/** What clients can read. */
async function responses({ call }: Bugless): Promise<unknown[]> {
  const read = async (path: string) => (await call('GET', path, { key: keyOf('admin') })).body;
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
  const groups = groupRepository(bugless.table);
  try {
    if ('group' in next) {
      const [existing] = await groups.byNames([next.group]);
      if (existing !== undefined) return false;
      const desired = { id: await groups.allocateId(), name: next.group, description: next.group };
      await groups.put([{ existing: undefined, desired }]);
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
  const { method, target, options } = asHttp(next.request);
  const { status } = await bugless.call(method, target, { ...options, key: keyOf('admin') });
  expect(status).toBeLessThan(500);
  return status < 300;
}

it('whatever is accepted can be exported and applied to an empty table, with the same responses', async () => {
  let accepted = 0;
  const numRuns = Number(RUNS);
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryWrite, { minLength: OPERATIONS, maxLength: OPERATIONS }),
      async (writes) => {
        const original = await startBugless(start);
        for (const next of writes) if (await perform(original, next)) accepted += 1;
        const file = await exported(original.table);
        const table = await newTable(parseCatalogue(catalogueOfLines(file)));
        const restored = await serve(table);
        expect(await responses(restored)).toEqual(await responses(original));
        expect(await exported(restored.table)).toBe(file);
      },
    ),
    { numRuns, endOnFailure: true, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
  expect(accepted).toBeGreaterThan((numRuns * OPERATIONS) / 10);
});
