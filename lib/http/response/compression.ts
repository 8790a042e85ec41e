export type Encoding = 'br' | 'gzip';

/** The weights (0 to 1) of `Accept` or `Accept-Encoding`, by lower-case name. RFC 9110, 12.4.2. */
function parseWeights(header: string | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}

/** The supported encoding that a client prefers, by the weights of `Accept-Encoding`; none: undefined. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  const weights = parseWeights(acceptEncoding);
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const best: Encoding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : undefined;
}

/** Brotli's quality, of 11: about the speed of gzip, a tenth smaller. */
const BROTLI_QUALITY = 4;

/** A compressor that takes text in pieces and holds only its output. */
export async function openEncoder(encoding: Encoding) {
  // Loaded with the first large response: a cold start does not wait for it.
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
    /** size of the output so far */
    get bytes() {
      return bytes;
    },
    /** resolves when the text has been consumed */
    write: (text: string) => new Promise<void>((resolve) => stream.write(text, () => resolve())),
    async end(): Promise<Buffer> {
      stream.end();
      await done;
      return Buffer.concat(chunks);
    },
  };
}

export type Encoder = Awaited<ReturnType<typeof openEncoder>>;
