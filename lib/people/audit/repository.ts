import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Difference } from '../../base/collections.ts';
import { normalizeName } from '../../base/text.ts';
import { timestamp } from '../../base/time.ts';
import type { Table } from '../../table/client.ts';
import { auditKey, auditRange } from '../../table/keys.ts';
import { readPages, withKey } from '../../table/read.ts';
import { type Action, putItem } from '../../table/write.ts';
import { VERSION } from '../../version.ts';

const DAY_SECONDS = 24 * 60 * 60;
const KEPT_SECONDS = 400 * DAY_SECONDS;
/** In characters of UTF-16, of all values of an entry: with 3 bytes each, an item has at most 400 KB. */
const MAX_VALUES_LENGTH = 100_000;
/** Of an entry; more than a transaction changes. */
const MAX_CHANGES_AN_ENTRY = 100;

/** Entries of a page: most may be left out. */
const MIN_PAGE_SIZE = 100;

/** What one request reads at most: entries, and pages, which have at most 1 MB. */
const MAX_READ = 2_000;
const MAX_PAGES = 10;
/** Of the entries in a response, in characters of JSON. */
const MAX_RESPONSE_LENGTH = 2_000_000;

/** What was changed of one entity; without secrets. */
const auditChange = z.object({
  /** `group` */
  kind: z.string(),
  name: z.string(),
  /** values before and after, by field; a new entity has none before */
  fields: z.record(z.string(), z.object({ removed: z.string(), added: z.string() })),
});
export type AuditChange = Readonly<z.infer<typeof auditChange>>;

const auditContent = z.object({
  /** when the command began: `YYYY-MM-DDThh:mm:ssZ` */
  time: z.string(),
  /** who ran it: an identity of AWS, and a user of a machine; the login of a request over REST */
  who: z.string(),
  /** names, arguments and options, without secrets; of a request over REST: `rest change group` */
  command: z.string(),
  /** of Bugless */
  version: z.string(),
  /** `begun`: it still runs, or was interrupted */
  state: z.enum(['begun', 'done', 'failed']),
  /** how many of what it wrote; absent: not known */
  counts: z.optional(z.record(z.string(), z.int())),
  /** ids of the bugs whose fields it changed, the first hundred; absent: none */
  bugs: z.optional(z.array(z.int())),
  /** what was changed, where the command says it */
  changes: z.optional(z.array(auditChange)),
});

/** A command that writes, or a request over REST that changes what administrators do. infra/OPERATING.md, "Audit log" */
export const auditItem = z.extend(auditContent, {
  /** seconds since 1970 */
  expires_at: z.int(),
});

export type AuditEntry = Readonly<z.infer<typeof auditContent>>;

/** What the audit log has of a request over REST. */
export interface AuditNote extends Pick<AuditEntry, 'who' | 'command'> {
  changes: readonly AuditChange[];
}

/**
 * The action that adds the entry of a request over REST, for the transaction that writes its changes: there is no change
 * without its entry.
 */
export function auditAction(table: Table, { who, command, changes }: AuditNote): Action {
  const now = table.now();
  const time = timestamp(now);
  const entry = { time, who, command, version: VERSION, state: 'done' as const, changes: [...changes] };
  // Those of one second are in the order of their milliseconds.
  const token = `${String(now.getMilliseconds()).padStart(3, '0')}-${randomUUID()}`;
  return { put: storedEntry(entry, token) };
}

/** The item of an entry. @param token makes its key unique within the second, and orders it there */
export const storedEntry = (entry: AuditEntry, token: string) => ({
  ...auditKey(entry.time, token),
  ...entry,
  ...(entry.changes === undefined ? {} : { changes: shortened(entry.changes) }),
  expires_at: Math.floor(Date.parse(entry.time) / 1_000) + KEPT_SECONDS,
});

/** Cuts long values, and leaves out what are too many, so that the entry fits one item. */
function shortened(all: readonly AuditChange[]): AuditChange[] {
  const changes = all.slice(0, MAX_CHANGES_AN_ENTRY);
  const count = changes.reduce((sum, { fields }) => sum + 2 * Object.keys(fields).length, 0);
  const max = Math.floor(MAX_VALUES_LENGTH / Math.max(count, 1));
  const cut = (text: string) =>
    text.length <= max ? text : `${text.slice(0, Math.max(max - 1, 0)).toWellFormed()}…`;
  const more = all.length - changes.length;
  const shown = changes.map(({ fields, ...rest }) => {
    const entries = Object.entries(fields);
    const cutFields = entries.map(([name, { removed, added }]) => {
      return [name, { removed: cut(removed), added: cut(added) }] as const;
    });
    return { ...rest, fields: Object.fromEntries(cutFields) };
  });
  return more === 0 ? shown : [...shown, { kind: 'more', name: `${more} more`, fields: {} }];
}

/**
 * Whether an entry is of somebody, and about something.
 *
 * @param by part of the login, identity or machine, in any case
 * @param of part of the command, or of the present or a former name of what was changed, in any case
 */
export function isAuditOf({ who, command, changes = [] }: AuditEntry, by = '', of = ''): boolean {
  const names = changes.flatMap(({ name, fields }) => [name, formerName(name, fields['name'])]);
  return hasText(who, by) && [command, ...names].some((subject) => hasText(subject, of));
}

/** The name that an entity had before; `Telescope / Mount` is named with its product. */
const formerName = (name: string, { removed, added }: Difference = { removed: '', added: '' }): string =>
  removed !== '' && name.endsWith(added) ? `${name.slice(0, name.length - added.length)}${removed}` : removed;

const hasText = (text: string, part: string): boolean => normalizeName(text).includes(normalizeName(part));

/** The commands that wrote into a table, and the administration over REST, in the last 400 days. */
export const auditRepository = (table: Table) => ({
  /** @param token tells the commands of one second apart */
  async put(entry: AuditEntry, token: string): Promise<void> {
    await putItem(table, storedEntry(entry, token));
  },

  /**
   * The newest entries, newest first.
   *
   * @param since `YYYY-MM-DDThh:mm:ssZ`; '': from the first one on
   * @param max at most so many
   * @param isWanted leaves out entries; they do not count
   */
  async list(
    since: string,
    max: number,
    isWanted: (entry: AuditEntry) => boolean = () => true,
  ): Promise<AuditEntry[]> {
    const found: AuditEntry[] = [];
    const paging = { pageSize: Math.max(max, MIN_PAGE_SIZE), isReverse: true };
    for await (const page of readPages(table, auditRange(since), auditContent, paging)) {
      found.push(...page.filter(isWanted));
      if (found.length >= max) break;
    }
    return found.slice(0, max);
  },

  /**
   * The newest entries, newest first, of a part of the log: what is read is bounded, so there may be fewer than `max`, or none,
   * and older ones all the same.
   *
   * @param range `since` as for `list`; `before`: `next` of the page before, '' for the first one
   * @returns `next`: of the last entry that was looked at, to go on with; undefined: there are no older ones
   */
  async page(
    { since, before }: { since: string; before: string },
    max: number,
    isWanted: (entry: AuditEntry) => boolean,
  ): Promise<{ entries: AuditEntry[]; next: string | undefined }> {
    const range = auditRange(since, before);
    const entries: AuditEntry[] = [];
    const paging = { pageSize: Math.max(max, MIN_PAGE_SIZE), isReverse: true };
    let [read, pages, length, last] = [0, 0, 0, before];
    for await (const page of readPages(table, range, withKey(auditContent), paging)) {
      pages += 1;
      for (const { pk: _, sk, ...entry } of page) {
        if (sk === before) continue;
        read += 1;
        if (isWanted(entry)) {
          length += JSON.stringify(entry).length;
          const isFull = entries.length >= max || (entries.length > 0 && length > MAX_RESPONSE_LENGTH);
          if (isFull) return { entries, next: last };
          entries.push(entry);
        }
        last = sk;
      }
      if (read >= MAX_READ || pages >= MAX_PAGES) return { entries, next: last };
    }
    return { entries, next: undefined };
  },
});
