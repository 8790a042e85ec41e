/**
 * JSON of `value` in pieces. Async iterables in it are arrays whose elements are asked for one by one, so
 * that nothing has to be held whole.
 */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  if (isAsyncIterable(value)) {
    let before = '[';
    for await (const element of value) {
      yield before + JSON.stringify(element);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else if (isPlainObject(value) && holdsAsyncIterable(value)) {
    let before = '{';
    for (const [name, one] of Object.entries(value)) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonPieces(one);
      before = ',';
    }
    yield '}';
  } else {
    yield JSON.stringify(value);
  }
}

/** Whether `value` is read as it is sent. */
export function holdsAsyncIterable(value: unknown): boolean {
  if (isAsyncIterable(value)) return true;
  return isPlainObject(value) && Object.values(value).some(holdsAsyncIterable);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
