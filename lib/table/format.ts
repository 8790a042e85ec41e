import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import { VERSION } from '../version.ts';

/** The number of the format that this version writes. */
export const FORMAT = 1;

/** An import that closes the table for writes by REST, or has done so. */
const importState = z.object({
  /** the URL of the Bugzilla */
  source: z.string(),
  /** when it closed the table: `YYYY-MM-DDThh:mm:ssZ` */
  since: z.string(),
  /** `closed`: requests that write are refused; otherwise how the import ended */
  state: z.enum(['closed', 'final', 'abandoned']),
});
export type ImportState = z.infer<typeof importState>;

/** The format of the table. infra/UPGRADING.md. */
export const formatItem = z.object({
  format: z.int(),
  /** the oldest version of Bugless that may read the table */
  readable_from: z.string(),
  /** the oldest version that may write it */
  writable_from: z.string(),
  /** the conversions that an upgrade by version 1.2.0 has begun, and not finished */
  pending: z._default(z.array(z.string()), []),
  /** absent: no import has closed the table; versions before 1.2.0 ignore it */
  import: z.optional(importState),
});
export type FormatItem = z.infer<typeof formatItem>;

/** The format of tables that this version creates. */
export const CURRENT_FORMAT: FormatItem = {
  format: FORMAT,
  readable_from: '1.0.0',
  writable_from: '1.0.0',
  pending: [],
};

/** A table that is not new, and has no format: a version before 1.0.0 wrote it. */
export const FORMER_FORMAT: FormatItem = { ...CURRENT_FORMAT, format: 0 };

/** Whether version 1.2.0, which converts tables of earlier formats, has still to do so. */
export const isConverted = ({ format, pending }: FormatItem): boolean =>
  format >= FORMAT && pending.length === 0;

/**
 * The format of a table from its item.
 *
 * @throws BugzillaError 503 where the item is damaged
 */
export function parseFormat(item: unknown): FormatItem {
  const { data } = formatItem.safeParse(item);
  if (data === undefined) throw errors.formatDamaged();
  return data;
}

/** For how long a process uses what it has read. An upgrade waits twice as long before it converts anything. */
export const FORMAT_CHECK_MS = 60_000;

/** Whether a version, such as `1.2.0`, is older than another one. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((one) => one.split('.').map(Number));
  const at = a?.findIndex((part, index) => part !== (b?.[index] ?? 0)) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}

export type TableFormat = ReturnType<typeof tableFormat>;

/**
 * The format of the table, read with the first call and every minute.
 *
 * @param read the stored format; undefined: none is stored
 * @param version of this code
 */
export function tableFormat(
  read: () => Promise<FormatItem | undefined>,
  now: () => number = Date.now,
  version: string = VERSION,
) {
  let known: { since: number; format: Promise<FormatItem> } | undefined;

  function current(): Promise<FormatItem> {
    if (known !== undefined && now() - known.since < FORMAT_CHECK_MS) return known.format;
    const format = read().then((item) => item ?? FORMER_FORMAT);
    const next = { since: now(), format };
    known = next;
    format.catch(() => {
      if (known === next) known = undefined;
    });
    return format;
  }

  return {
    /** The format as it was read in the last minute. */
    current,

    /** Makes the next call read it again: after it was written. */
    forget(): void {
      known = undefined;
    },

    /**
     * Makes sure that this version may read the table, or write it, too.
     *
     * @throws BugzillaError 503 where the table needs a later version
     */
    async require(use: 'read' | 'write'): Promise<void> {
      const { format, readable_from, writable_from } = await current();
      const oldest = use === 'read' ? readable_from : writable_from;
      if (isOlder(version, oldest)) throw errors.tableTooNew(format, oldest);
    },

    /**
     * Makes sure that no import has closed the table for requests that write.
     *
     * @throws BugzillaError 503 until the import ends
     */
    async requireOpen(): Promise<void> {
      const { import: begun } = await current();
      if (begun?.state === 'closed') throw errors.importRuns(begun.source, begun.since);
    },

    /**
     * Makes sure that the table has been converted.
     *
     * @throws BugzillaError 503 before version 1.2.0 has done so
     */
    async requireConverted(): Promise<void> {
      if (!isConverted(await current())) throw errors.upgradePending();
    },
  };
}
