import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { auditKey, auditRange } from '../../../lib/dynamodb/keys.ts';
import { readPages } from '../../../lib/dynamodb/read.ts';
import { putItem } from '../../../lib/dynamodb/write.ts';

const DAY_SECONDS = 24 * 60 * 60;
const KEPT_SECONDS = 400 * DAY_SECONDS;

const auditContent = z.object({
  /** when the command began: `YYYY-MM-DDThh:mm:ssZ` */
  time: z.string(),
  /** who ran it: an identity of AWS, and a user of a machine */
  who: z.string(),
  /** names, arguments and options, without secrets */
  command: z.string(),
  /** of Bugless */
  version: z.string(),
  /** `begun`: it still runs, or was interrupted */
  state: z.enum(['begun', 'done', 'failed']),
  /** how many of what it wrote; absent: not known */
  counts: z.record(z.string(), z.int()).optional(),
  /** ids of the bugs whose fields it changed, the first hundred; absent: none */
  bugs: z.array(z.int()).optional(),
});

/** A command that writes. infra/OPERATING.md, "Audit log" */
export const auditItem = auditContent.extend({
  /** seconds since 1970 */
  expires_at: z.int(),
});

export type AuditEntry = Readonly<z.infer<typeof auditContent>>;

/** The commands that wrote into a table, in the last 400 days. */
export const auditRepository = (table: Table) => ({
  /** @param token tells the commands of one second apart */
  async put(entry: AuditEntry, token: string): Promise<void> {
    const expires_at = Math.floor(Date.parse(entry.time) / 1_000) + KEPT_SECONDS;
    await putItem(table, { ...auditKey(entry.time, token), ...entry, expires_at });
  },

  /**
   * The newest entries, newest first.
   *
   * @param since `YYYY-MM-DDThh:mm:ssZ`; '': from the first one on
   * @param max at most so many
   */
  async list(since: string, max: number): Promise<AuditEntry[]> {
    const found: AuditEntry[] = [];
    const paging = { pageSize: max, isReverse: true };
    for await (const page of readPages(table, auditRange(since), auditContent, paging)) {
      found.push(...page);
      if (found.length >= max) break;
    }
    return found.slice(0, max);
  },
});
