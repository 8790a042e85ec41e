import { describe, expect, it } from 'vitest';
import { useStarted } from '../support/bugless.ts';
import { startFaultyBugless } from '../support/faulty-bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';

/** More than the SDK repeats a call. */
const LOST = 6;

const bugless = useStarted(startFaultyBugless);

/** Writes with a text that occurs nowhere else. */
const writes: [string, string, string, (text: string) => object][] = [
  ['a comment', 'POST', '/rest/bug/9/comment', (text) => ({ comment: text })],
  ['a product', 'POST', '/rest/product', (text) => ({ name: text, description: 'd', version: '1' })],
  ['a product update', 'PUT', '/rest/product/12', (text) => ({ description: text })],
  ['a tag', 'PUT', '/rest/bug/comment/60/tags', (text) => ({ add: [text] })],
];

describe.each(['close before', 'close after'] as const)('six responses in sequence are lost (%s)', (fate) => {
  it.for(writes)('%s is written exactly once', async ([what, method, path, bodyOf]) => {
    let left = LOST;
    bugless.from(({ operation }) => {
      if (operation !== 'TransactWriteItems' || left === 0) return 'pass';
      left -= 1;
      return fate;
    });
    const text = `${what.replaceAll(' ', '-')}-${fate.slice(6)}`;
    const { status } = await bugless.faulty.call(method, path, { key: keys.admin, body: bodyOf(text) });
    expect([status, left]).toEqual([method === 'POST' ? 201 : 200, 0]);
    expect(JSON.stringify(await allItems(bugless.healthy.table))).toContain(text);
    await expectNoViolations(bugless.healthy.table);
  });

  it.each(['BatchGetItem', 'UpdateItem', 'Query'])('the request succeeds after those of %s', async (lost) => {
    let left = LOST;
    bugless.from(({ operation }) => {
      if (operation !== lost || left === 0) return 'pass';
      left -= 1;
      return fate;
    });
    const { faulty } = bugless;
    const statuses = [
      await faulty.call('POST', '/rest/bug/9/comment', {
        key: keys.admin,
        body: { comment: `${lost} ${fate}` },
      }),
      await faulty.call('GET', '/rest/bug/9/comment', { key: keys.admin }),
    ].map(({ status }) => status);
    expect([...statuses, left]).toEqual([201, 200, 0]);
    const texts = (await allItems(bugless.healthy.table)).map((item) => item['text']);
    expect(texts.filter((text) => text === `${lost} ${fate}`)).toHaveLength(1);
  });
});
