/** What an endpoint answers, before it becomes HTTP. */
export class JsonResponse {
  readonly status: number;
  /** JSON; an async iterable in an object stands for an array, and is read as it is sent */
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

/** 201 with the new thing's id. REFERENCE.md 2 (creation answers 201). */
export const created = (id: number): JsonResponse => new JsonResponse(201, { id });
