import { createHash } from 'node:crypto';
import { errors } from '../errors.ts';
import type { User } from '../people/caller.ts';
import type { Table } from '../table/client.ts';
import { findRecord, type RecordFor, toSeconds } from '../table/idempotency.ts';
import { type BugzillaRequest, CREDENTIAL_PARAMETERS } from './request.ts';
import { created, type JsonResponse } from './response/json.ts';

const RETENTION_SECONDS = 24 * 60 * 60;
const MAX_KEY_LENGTH = 255;

export type Idempotent = ReturnType<typeof idempotent>;

/**
 * Idempotency for requests with a header `Idempotency-Key`: for 24 hours the same key and request get the first
 * response again, and nothing is written. Requests without the header cost nothing extra.
 */
export function idempotent(table: Table, now: () => Date) {
  /**
   * @param userOf the user, or how to find out who it is
   * @param create writes what the request creates together with its idempotency record, and returns the id, or
   * consecutive ids
   * @param respond makes the response
   * @returns 201 with the ids that were created, by this request or by an earlier one
   */
  return async (
    request: BugzillaRequest,
    userOf: User | (() => Promise<User>),
    create: (recordFor: RecordFor) => Promise<number | number[]>,
    respond: (ids: number[]) => JsonResponse = ([id = 0]) => created(id),
  ): Promise<JsonResponse> => {
    const key = readKey(request);
    if (key === undefined) return respond([await create(() => undefined)].flat());
    const user = typeof userOf === 'function' ? await userOf() : userOf;
    const identity = { user_id: user.id, key_hash: sha256(key) };
    const fingerprint = fingerprintOf(request);
    const expires_at = toSeconds(now()) + RETENTION_SECONDS;

    const findEarlier = async (): Promise<number[] | undefined> => {
      const record = await findRecord(table, identity, now());
      if (record !== undefined && record.fingerprint !== fingerprint) throw errors.idempotencyKeyReused();
      return record && Array.from({ length: record.count ?? 1 }, (_, index) => record.id + index);
    };
    const earlier = await findEarlier();
    if (earlier !== undefined) return respond(earlier);
    try {
      const recordFor: RecordFor = (id, count = 1) => {
        return { ...identity, fingerprint, id, ...(count === 1 ? {} : { count }), expires_at };
      };
      return respond([await create(recordFor)].flat());
    } catch (error) {
      // A concurrent request with the same key may have been the reason for the failure.
      const concurrent = await findEarlier();
      if (concurrent === undefined) throw error;
      return respond(concurrent);
    }
  };
}

function readKey(request: BugzillaRequest): string | undefined {
  const key = request.headers['idempotency-key']?.trim();
  if (!key) return undefined;
  if (key.length > MAX_KEY_LENGTH) {
    throw errors.parameterInvalid('Idempotency-Key', `it is longer than ${MAX_KEY_LENGTH} characters`);
  }
  return key;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Equal for equal requests, irrespective of the order of their parameters and of credentials. */
function fingerprintOf({ method, path, parameters }: BugzillaRequest): string {
  const relevant = [...parameters].filter(([name]) => !CREDENTIAL_PARAMETERS.includes(name));
  return sha256(JSON.stringify([method, path, relevant.sort(([a], [b]) => (a < b ? -1 : 1))]));
}
