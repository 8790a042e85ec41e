import { describe, expect, it } from 'vitest';
import { startBuglessWithConflicts, useStarted } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { times } from '../support/times.ts';

const BUG = 1;

const bugless = useStarted(startBuglessWithConflicts);

const comment = (text: string, headers: Record<string, string> = {}) =>
  bugless.call('POST', `/rest/bug/${BUG}/comment`, {
    key: keys.admin,
    body: { comment: text, work_time: 0.5 },
    headers,
  });

async function textsOf(bug: number): Promise<string[]> {
  const { body } = await bugless.call('GET', `/rest/bug/${bug}/comment?include_fields=text`, {
    key: keys.admin,
  });
  return body.bugs[bug].comments.map(({ text }: { text: string }) => text);
}

describe('concurrent comments on one bug, with transaction conflicts', () => {
  it.each([
    ['without', 260, () => ({})],
    ['with', 90, (n: number): Record<string, string> => ({ 'idempotency-key': `busy-${n}` })],
  ])('all succeed %s Idempotency-Key, each once: %i', async (name, clients, headersOf) => {
    const texts = times(clients, (n) => `${name} key ${n}`);
    const responses = await Promise.all(texts.map((text, n) => comment(text, headersOf(n))));
    expect(responses.map(({ status }) => status)).toEqual(texts.map(() => 201));
    expect(bugless.conflicts.count).toBeGreaterThan(0);
    const stored = (await textsOf(BUG)).filter((text) => text.startsWith(`${name} key`));
    expect(stored.toSorted()).toEqual(texts.toSorted());
    await expectNoViolations(bugless.table);
  });

  it('with one Idempotency-Key create one comment', async () => {
    const others = Array.from({ length: 20 }, (_, n) => comment(`other ${n}`));
    const same = Array.from({ length: 20 }, () => comment('same', { 'idempotency-key': 'busy-same' }));
    const responses = await Promise.all([...same, ...others]);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    const ids = new Set(responses.slice(0, same.length).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect((await textsOf(BUG)).filter((text) => text === 'same')).toHaveLength(1);
    await expectNoViolations(bugless.table);
  });
});
