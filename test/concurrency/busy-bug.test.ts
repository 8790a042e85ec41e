import { expect, it } from 'vitest';
import { type Bugless, startBuglessWithConflicts, useStarted } from '../support/bugless.ts';
import { onFirst, startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { times } from '../support/times.ts';

const BUG = 1;

const bugless = useStarted(startBuglessWithConflicts);

const comment = (text: string, headers: Record<string, string> = {}) =>
  bugless.call('POST', `/rest/bug/${BUG}/comment`, {
    key: keys.admin,
    body: { comment: text, work_time: text.startsWith('with key') ? 0.5 : 0 },
    headers,
  });

async function textsOf(bug: number): Promise<string[]> {
  const { body } = await bugless.call('GET', `/rest/bug/${bug}/comment?include_fields=text`, {
    key: keys.admin,
  });
  return body.bugs[bug].comments.map(({ text }: { text: string }) => text);
}

it('concurrent comments on one bug, with conflicts, succeed once each, also with one Idempotency-Key', async () => {
  const kinds = [
    // Together several batches of the queue, each of 24 at most.
    ['without key', 12, () => ({})],
    ['with key', 12, (n) => ({ 'idempotency-key': `busy-${n}` })],
    ['same', 6, () => ({ 'idempotency-key': 'busy-same' })],
  ] as const satisfies [string, number, (n: number) => Record<string, string>][];
  const all = kinds.flatMap(([kind, clients, headersOf]) =>
    times(clients, (n) => ({ text: kind === 'same' ? kind : `${kind} ${n}`, headers: headersOf(n) })),
  );
  const responses = await Promise.all(all.map(({ text, headers }) => comment(text, headers)));
  expect(responses.map(({ status }) => status)).toEqual(all.map(() => 201));
  expect(bugless.conflicts.count).toBeGreaterThan(0);
  const idsOfSame = responses.filter((_, n) => all[n]?.text === 'same').map(({ body }) => body.id);
  expect(new Set(idsOfSame).size).toBe(1);
  const stored = (await textsOf(BUG)).filter((text) => /^(with|same)/.test(text));
  expect(stored.toSorted()).toEqual([...new Set(all.map(({ text }) => text))].toSorted());
  await expectNoViolations(bugless.table);
});

it('hours lessen what remains when they are written, not when they were read', async () => {
  const { faulty, healthy, from } = await startFaultyBugless();
  const work = ({ call }: Bugless, work_time: number) =>
    call('POST', '/rest/bug/1/comment', { key: keys.admin, body: { comment: 'Hours', work_time } });
  const remaining = async () => (await healthy.call('GET', '/rest/bug/1', { key: keys.admin })).body.bugs[0];
  await work(healthy, (await remaining()).remaining_time);
  from(onFirst('TransactWriteItems', () => ({ after: work(healthy, -0.5) })));
  expect((await work(faulty, 1)).status).toBe(201);
  expect(await remaining()).toMatchObject({ remaining_time: 0 });
});
