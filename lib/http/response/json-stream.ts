/**
 * JSON of `value` in pieces. Async iterables in it are arrays whose elements are asked for one by one, so
 * that nothing has to be held whole.
 *
 * @param isIndented for people; otherwise, without any white space
 * @param depth at which `value` stands
 */
export async function* streamJson(value: unknown, isIndented = false, depth = 0): AsyncGenerator<string> {
  const line = (inside: number) => (isIndented ? `\n${'  '.repeat(depth + inside)}` : '');
  const text = (one: unknown, inside: number) =>
    isIndented ? JSON.stringify(one, undefined, 2).replaceAll('\n', line(inside)) : JSON.stringify(one);
  if (isAsyncIterable(value)) {
    let before = '[';
    for await (const element of value) {
      yield before + line(1) + text(element, 1);
      before = ',';
    }
    yield before === '[' ? '[]' : `${line(0)}]`;
  } else if (isPlainObject(value) && holdsAsyncIterable(value)) {
    let before = '{';
    for (const [name, one] of Object.entries(value)) {
      yield `${before}${line(1)}${JSON.stringify(name)}:${isIndented ? ' ' : ''}`;
      yield* streamJson(one, isIndented, depth + 1);
      before = ',';
    }
    yield `${line(0)}}`;
  } else {
    yield text(value, 0);
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
