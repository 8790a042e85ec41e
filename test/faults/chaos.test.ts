import { beforeAll, describe, expect, it } from 'vitest';
import { type FaultyBugless, SILENT, startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';
import { expectSearchToAgree, expectTagsToAgree } from '../support/tags.ts';
import { expectWhole } from '../support/wholeness.ts';
import { harmful } from './harm.ts';

let bugless: FaultyBugless;
beforeAll(async () => {
  bugless = await startFaultyBugless(8_000, SILENT);
});

/** `SEED=… npm test` repeats a run as far as chance goes; the order of the calls is the machine's. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

const times = <T>(count: number, work: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, number) => work(number));

describe(`with harm done to every tenth call (seed ${seed})`, () => {
  it('comments are written at most once, and exactly once when that was answered', async () => {
    bugless.from(harmful(0.1, seed));
    const replies = await Promise.all(
      times(60, async (number) => {
        const comment = `chaotic ${number}`;
        const body = { comment, work_time: 0.25 };
        const reply = await bugless.faulty.call('POST', '/rest/bug/9/comment', { key: keys.tracker, body });
        return { comment, reply };
      }),
    );
    const written = (await allItems(bugless.healthy.table)).filter(({ sk }) =>
      String(sk).startsWith('COMMENT#'),
    );
    for (const { comment, reply } of replies) {
      const found = written.filter(({ text }) => text === comment).map(({ id }) => id);
      if (reply.status === 201) expect(found).toEqual([reply.body.id]);
      else expect([reply.status, found.length > 1]).toEqual([503, false]);
    }
    expect(replies.filter(({ reply }) => reply.status === 201).length).toBeGreaterThan(10);
    await expectWhole(bugless.healthy.table);
  });

  it('tags are counted as they are on the comments', async () => {
    bugless.from(harmful(0.1, seed));
    await Promise.all(
      times(30, async (number) => {
        const path = `/rest/bug/comment/${60 + (number % 10)}/tags`;
        const large = number % 5 === 0 ? times(12, (n) => `chaotic-tag-number-${n}`) : ['chaos'];
        const add = await bugless.faulty.call('PUT', path, { key: keys.tagger, body: { add: large } });
        const remove = await bugless.faulty.call('PUT', path, {
          key: keys.tagger,
          body: { remove: large.slice(0, 5) },
        });
        for (const { status } of [add, remove]) expect([200, 503]).toContain(status);
      }),
    );
    await expectSearchToAgree(bugless.healthy, 'a');
    await expectTagsToAgree(bugless.healthy.table);
  });

  it('products are whole, and no name is given twice', async () => {
    bugless.from(harmful(0.1, seed));
    await Promise.all(
      times(30, async (number) => {
        const name = `Chaos ${number % 10}`;
        const options = { key: keys.editor, body: { name, description: 'd', version: '1' } };
        const { status, body } = await bugless.faulty.call('POST', '/rest/product', options);
        expect([201, 400, 503]).toContain(status);
        if (status !== 201) return;
        const renamed = { key: keys.editor, body: { name: `${name}, renamed` } };
        const change = await bugless.faulty.call('PUT', `/rest/product/${body.id}`, renamed);
        expect([200, 400, 503]).toContain(change.status);
      }),
    );
    await expectWhole(bugless.healthy.table);
  });
});
