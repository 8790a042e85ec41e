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
 */
export async function* streamJson(value: unknown): AsyncGenerator<string> {
  if (isAsyncIterable(value)) {
    let before = '[';
    for await (const page of value) {
      if (page.length === 0) continue;
      yield before + JSON.stringify(page).slice(1, -1);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else if (isPlainObject(value) && containsAsyncIterable(value)) {
    let before = '{';
    for (const [name, part] of Object.entries(value)) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* streamJson(part);
      before = ',';
    }
    yield '}';
  } else {
    yield JSON.stringify(value);
  }
}

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
