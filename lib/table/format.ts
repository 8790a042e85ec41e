import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import { VERSION } from '../version.ts';

/** The number of the format that this version writes. */
export const FORMAT = 1;

/** The conversions of tables of earlier formats, in this order, each with the first format that needs it. */
export const CONVERSIONS = { items: 1, 'search index': 1, words: 1 } as const;
export type Conversion = keyof typeof CONVERSIONS;

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

/** The format of the table. infra/README.md, "Versions, upgrade and rollback". */
export const formatItem = z.object({
  format: z.int(),
  /** the oldest version of Bugless that may read the table */
  readable_from: z.string(),
  /** the oldest version that may write it */
  writable_from: z.string(),
  /** the conversions that an upgrade has begun, and not finished */
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

/**
 * The conversions that a table needs: those of later formats than its own, and those that an upgrade has not finished.
 *
 * @param stored undefined: a version before 1.0.0 wrote the table
 * @param conversions names with the first format that needs each
 */
export const neededConversions = <Name extends string>(
  stored: Pick<FormatItem, 'format' | 'pending'> | undefined,
  conversions: Readonly<Record<Name, number>>,
): Name[] =>
  conversionsIn(conversions).filter(
    (name) => conversions[name] > (stored?.format ?? 0) || stored?.pending.includes(name) === true,
  );

function conversionsIn<Name extends string>(conversions: Readonly<Record<Name, number>>): Name[] {
  const names: Name[] = [];
  for (const name in conversions) names.push(name);
  return names;
}

/** A table that is not new, and has no format: a version before 1.0.0 wrote it. */
export const FORMER_FORMAT: FormatItem = {
  ...CURRENT_FORMAT,
  format: 0,
  pending: neededConversions(undefined, CONVERSIONS),
};

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

  const isConverted = async (conversion: Conversion): Promise<boolean> =>
    !(await current()).pending.includes(conversion);

  return {
    /** The format as it was read in the last minute. */
    current,

    /** Whether an upgrade has converted the table. */
    isConverted,

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
     * @throws BugzillaError 503 before an upgrade has done so
     */
    async requireConverted(conversion: Conversion): Promise<void> {
      if (!(await isConverted(conversion))) throw errors.upgradePending();
    },
  };
}
