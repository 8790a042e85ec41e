import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { Table } from '../table/client.ts';
import { ConditionFailed } from '../table/errors.ts';
import { unsubscribeKey } from '../table/keys.ts';
import { readItem } from '../table/read.ts';
import { ABSENT, putItem } from '../table/write.ts';

/** The secret by which the codes of links that turn mails off are signed. */
export const unsubscribeItem = z.object({ secret: z.string() });

const SECRET_BYTES = 32;

/** The code by which the mails of a user are turned off: HMAC-SHA-256 of the user's id. It does not expire. */
export const unsubscribeCode = (secret: string, user: number): string =>
  createHmac('sha256', secret).update(`unsubscribe ${user}`).digest('base64url');

/** Whether a code is that of a user. */
export function isUnsubscribeCode(secret: string, user: number, code: string): boolean {
  const [expected, given] = [unsubscribeCode(secret, user), code].map((text) => Buffer.from(text));
  return expected !== undefined && expected.length === given?.length && timingSafeEqual(expected, given);
}

/** Reads the secret, which is made when it is needed first. */
export const unsubscribeRepository = (table: Table) => ({
  /** The secret; undefined: there is none yet. */
  async read(): Promise<string | undefined> {
    return (await readItem(table, unsubscribeKey, unsubscribeItem))?.secret;
  },

  /** The same, made where there is none. */
  async ensure(): Promise<string | undefined> {
    try {
      const known = await this.read();
      if (known !== undefined) return known;
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      await putItem(table, { ...unsubscribeKey, secret }, { condition: ABSENT });
      return secret;
    } catch (error) {
      if (error instanceof ConditionFailed) return this.read();
      throw error;
    }
  },
});
