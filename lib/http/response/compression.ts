import { parseWeights } from '../accept-header.ts';

export type Encoding = 'br' | 'gzip';

/** Which encoding a client prefers of those that we have: `Accept-Encoding` with its weights; none: undefined. */
export function encodingFor(acceptEncoding: string | undefined): Encoding | undefined {
  const weights = parseWeights(acceptEncoding);
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const best: Encoding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : undefined;
}

/** Of 11: about gzip's speed, a tenth smaller. */
const BROTLI_QUALITY = 4;

/** A compressor that takes text in pieces and keeps only what comes out. */
export async function openEncoder(encoding: Encoding) {
  // Loaded when the first answer is large enough: a cold start need not wait for it.
  const { constants, createBrotliCompress, createGzip } = await import('node:zlib');
  const stream =
    encoding === 'br'
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : createGzip();
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
  });
  const done = new Promise<void>((resolve, reject) => {
    stream.on('end', resolve);
    stream.on('error', reject);
  });
  return {
    /** how much has come out so far */
    get bytes() {
      return bytes;
    },
    /** resolves when the text has been taken in */
    write: (text: string) => new Promise<void>((resolve) => stream.write(text, () => resolve())),
    async end(): Promise<Buffer> {
      stream.end();
      await done;
      return Buffer.concat(chunks);
    },
  };
}

export type Encoder = Awaited<ReturnType<typeof openEncoder>>;
