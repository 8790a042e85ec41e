/** The response of an endpoint, before it becomes HTTP. */
export class JsonResponse {
  readonly status: number;
  /** JSON; an async iterable in an object represents an array, which is read page by page while it is serialized */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** 200 with a body. */
export const ok = (body: unknown, headers?: Record<string, string>): JsonResponse =>
  new JsonResponse(200, body, headers);

/** 201 with the id of what was created. */
export const created = (id: number): JsonResponse => new JsonResponse(201, { id });

/**
 * Serializes `value` in pieces. Async iterables in it give the pages of an array, which are read one after the other,
 * so that memory never holds the whole array.
 *
 * @param isIndented for reading; otherwise without white space
 * @param depth nesting level of `value`
 */
export async function* streamJson(value: unknown, isIndented = false, depth = 0): AsyncGenerator<string> {
  const lineBreak = (inside: number) => (isIndented ? `\n${'  '.repeat(depth + inside)}` : '');
  const serialize = (part: unknown) =>
    isIndented ? JSON.stringify(part, undefined, 2).replaceAll('\n', lineBreak(0)) : JSON.stringify(part);
  if (isAsyncIterable(value)) {
    let before = '[';
    for await (const page of value) {
      if (page.length === 0) continue;
      yield before + withoutBrackets(serialize(page), lineBreak(0));
      before = ',';
    }
    yield before === '[' ? '[]' : `${lineBreak(0)}]`;
  } else if (isPlainObject(value) && containsAsyncIterable(value)) {
    let before = '{';
    for (const [name, part] of Object.entries(value)) {
      yield `${before}${lineBreak(1)}${JSON.stringify(name)}:${isIndented ? ' ' : ''}`;
      yield* streamJson(part, isIndented, depth + 1);
      before = ',';
    }
    yield `${lineBreak(0)}}`;
  } else {
    yield serialize(value);
  }
}

/** The elements of a serialized array that is not empty, with their line breaks. */
const withoutBrackets = (array: string, lineBreak: string) => array.slice(1, -1 - lineBreak.length);

/** Whether `value` has to be serialized in pieces. */
export function containsAsyncIterable(value: unknown): boolean {
  if (isAsyncIterable(value)) return true;
  return isPlainObject(value) && Object.values(value).some(containsAsyncIterable);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown[]> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
