import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsAsyncIterable, streamJson } from '../../../lib/http/response/json.ts';

/** The elements in pages of 0 to 3. */
async function* inPages<T>(all: T[]): AsyncGenerator<T[]> {
  let start = 0;
  for (let page = 0; start < all.length; page += 1) {
    yield all.slice(start, start + (page % 4));
    start += page % 4;
  }
}

async function written(value: unknown): Promise<string> {
  let text = '';
  for await (const piece of streamJson(value)) text += piece;
  return text;
}

describe('JSON in chunks', () => {
  it('equals JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await written(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('has arrays of async iterables at any depth', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.string({ unit: 'binary' }), async (all, name) => {
        expect(await written(inPages(all))).toBe(JSON.stringify(all));
        const outer = Object.fromEntries([
          ['first', 1],
          [`x${name}`, { inner: all }],
          ['last', null],
        ]);
        const streamed = Object.fromEntries([
          ['first', 1],
          [`x${name}`, { inner: inPages(all) }],
          ['last', null],
        ]);
        expect(await written(streamed)).toBe(JSON.stringify(outer));
      }),
    );
  });

  it('has an empty array for an empty iterable', async () => {
    expect(await written({ comments: inPages([]) })).toBe('{"comments":[]}');
  });

  it('reads a page after writing the previous one', async () => {
    const read: number[] = [];
    const source = (async function* () {
      for (const number of [1, 2, 3]) {
        read.push(number);
        yield [number];
      }
    })();
    const pieces = streamJson(source);
    await pieces.next();
    expect(read).toEqual([1]);
    await pieces.next();
    expect(read).toEqual([1, 2]);
  });

  it('fails with the error of its source', async () => {
    const source = (async function* () {
      yield [1];
      throw new Error('no more');
    })();
    await expect(written({ all: source })).rejects.toThrow('no more');
  });

  it('detects async iterables', () => {
    expect([{}, [], null, 'x', 1, { a: [1] }].map(containsAsyncIterable)).toEqual(Array(6).fill(false));
    expect([inPages([]), { a: { b: inPages([]) } }].map(containsAsyncIterable)).toEqual([true, true]);
  });
});
