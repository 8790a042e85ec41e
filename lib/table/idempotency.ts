import * as z from 'zod/mini';
import type { Table } from './client.ts';
import { idempotencyKey } from './keys.ts';
import { readItem, readItems } from './read.ts';
import type { Action } from './write.ts';

/** A request with an `Idempotency-Key` that created something. */
export const idempotencyRecord = z.object({
  user_id: z.int(),
  /** SHA-256 of the `Idempotency-Key` */
  key_hash: z.string(),
  /** of the request: the same key with another request is an error */
  fingerprint: z.string(),
  /** of what the request created, and how many consecutive ones there are; absent: one */
  id: z.int(),
  count: z.optional(z.int()),
  /** seconds since 1970 */
  expires_at: z.int(),
});
export type IdempotencyRecord = z.infer<typeof idempotencyRecord>;

/**
 * Makes the record for what a request creates, given its id, or the first of consecutive ones; for requests without a key:
 * undefined.
 */
export type RecordFor = (id: number, count?: number) => IdempotencyRecord | undefined;

type RecordKey = Pick<IdempotencyRecord, 'user_id' | 'key_hash'>;

/** The record of an earlier request with this key; none, or expired: undefined. */
export async function findRecord(
  table: Table,
  { user_id, key_hash }: RecordKey,
  now: Date,
): Promise<IdempotencyRecord | undefined> {
  const record = await readItem(table, idempotencyKey(user_id, key_hash), idempotencyRecord);
  return record !== undefined && isCurrent(record, now) ? record : undefined;
}

/** The records that exist among those with the keys of `requested` and are not expired. */
export async function readIdempotencyRecords(
  table: Table,
  requested: RecordKey[],
  now: Date,
): Promise<IdempotencyRecord[]> {
  const keys = requested.map(({ user_id, key_hash }) => idempotencyKey(user_id, key_hash));
  const records = await readItems(table, keys, idempotencyRecord);
  return records.filter((record) => isCurrent(record, now));
}

/**
 * A request with the same `Idempotency-Key` was committed meanwhile: another attempt cannot succeed. The response is that
 * of the other request.
 */
export class DuplicateRequest extends Error {
  override name = 'DuplicateRequest';
}

/** The transaction actions that store a record, if there is one, unless the key has been used meanwhile. */
export function idempotencyActions(record: IdempotencyRecord | undefined, now: Date): Action[] {
  if (record === undefined) return [];
  return [
    {
      put: { ...idempotencyKey(record.user_id, record.key_hash), ...record },
      // The request itself may have stored it, where it writes several transactions.
      condition:
        'attribute_not_exists(pk) OR expires_at <= :now OR (id = :id AND fingerprint = :fingerprint)',
      values: { ':now': toSeconds(now), ':id': record.id, ':fingerprint': record.fingerprint },
    },
  ];
}

/** Seconds since 1970, as the table's TTL attribute has them. */
export const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

const isCurrent = ({ expires_at }: IdempotencyRecord, now: Date) => expires_at > toSeconds(now);
