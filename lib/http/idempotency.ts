import { createHash } from 'node:crypto';
import type { Table } from '../dynamodb/client.ts';
import { idempotencyKey } from '../dynamodb/keys.ts';
import { readItem } from '../dynamodb/read.ts';
import type { Action } from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import type { User } from '../users/caller.ts';
import { CREDENTIAL_PARAMETERS } from './credentials.ts';
import { idempotencyItem } from './idempotency-schema.ts';
import type { BugzillaRequest } from './request.ts';
import { created, type JsonResponse } from './response/json-response.ts';

const REMEMBERED_SECONDS = 24 * 60 * 60;
const MAX_KEY_LENGTH = 255;

/** What remembers, in the transaction that creates the thing with this id, that it was created. */
export type IdempotencyActions = (id: number) => Action[];

export type OnlyOnce = ReturnType<typeof idempotency>;

/**
 * Makes requests with a header `Idempotency-Key` safe to repeat: for 24 hours the same key and request give
 * the first answer again, and write nothing. Without the header it does nothing, and costs nothing.
 */
export function idempotency(table: Table, now: () => Date) {
  /**
   * @param create makes the thing, with the actions that remember it in the same transaction
   * @returns 201 with the id of the thing, made now or then
   * @throws errors.idempotencyKeyReused (422, 32000) when the key came with another request, and what create throws
   */
  return async (
    request: BugzillaRequest,
    user: User,
    create: (idempotencyActions: IdempotencyActions) => Promise<number>,
  ): Promise<JsonResponse> => {
    const key = keyOf(request);
    if (key === undefined) return created(await create(() => []));
    const place = idempotencyKey(user.id, sha256(key));
    const fingerprint = fingerprintOf(request);
    const seconds = Math.floor(now().getTime() / 1_000);

    const recalled = async (): Promise<number | undefined> => {
      const item = await readItem(table, place);
      const known = item === undefined ? undefined : idempotencyItem.parse(item);
      if (known === undefined || known.expires_at <= seconds) return undefined;
      if (known.fingerprint !== fingerprint) throw errors.idempotencyKeyReused();
      return known.id;
    };
    const idempotencyActions: IdempotencyActions = (id) => [
      {
        put: { ...place, fingerprint, id, expires_at: seconds + REMEMBERED_SECONDS },
        condition: 'attribute_not_exists(pk) OR expires_at <= :now',
        values: { ':now': seconds },
      },
    ];
    const earlier = await recalled();
    if (earlier !== undefined) return created(earlier);
    try {
      return created(await create(idempotencyActions));
    } catch (error) {
      // Its twin may have come through meanwhile, and be what stood in the way.
      const twin = await recalled();
      if (twin === undefined) throw error;
      return created(twin);
    }
  };
}

function keyOf(request: BugzillaRequest): string | undefined {
  const key = request.headers['idempotency-key']?.trim();
  if (!key) return undefined;
  if (key.length > MAX_KEY_LENGTH) {
    throw errors.parameterInvalid('Idempotency-Key', `it is longer than ${MAX_KEY_LENGTH} characters`);
  }
  return key;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The same for the same request, whatever the order of its parameters; credentials are no part of it. */
function fingerprintOf({ method, path, parameters }: BugzillaRequest): string {
  const given = [...parameters].filter(([name]) => !CREDENTIAL_PARAMETERS.includes(name));
  return sha256(JSON.stringify([method, path, given.sort(([a], [b]) => (a < b ? -1 : 1))]));
}
