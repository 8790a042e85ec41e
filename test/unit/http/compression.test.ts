import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type Encoding,
  negotiateEncoding,
  openEncoder,
} from '../../../lib/http/response/gateway-response.ts';

it.for<[string | undefined, Encoding | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['gzip;q=0.5, br;q=0.8', 'br'],
  ['gzip; q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=x', undefined],
  ['gzip;q=-1', undefined],
  [',,;;', undefined],
  ['gzipx, xbr', undefined],
])('the encoding that a client prefers of %j is %j', ([header, expected]) => {
  expect(negotiateEncoding(header)).toBe(expected);
});

describe('an encoder', () => {
  const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };

  it.for<Encoding>(['br', 'gzip'])('compresses chunks with %s', async (encoding) => {
    const pieces = Array.from({ length: 100 }, (_, number) => `piece ${number} ä👍 `.repeat(50));
    const encoder = await openEncoder(encoding);
    for (const piece of pieces) await encoder.write(piece);
    const encoded = await encoder.end();
    expect(encoded.length).toBe(encoder.bytes);
    expect(encoded.length).toBeLessThan(pieces.join('').length / 5);
    expect((await decoders[encoding](encoded)).toString()).toBe(pieces.join(''));
  });

  it('compresses an empty text', async () => {
    const encoder = await openEncoder('gzip');
    await encoder.write('');
    expect((await decoders.gzip(await encoder.end())).toString()).toBe('');
  });
});
