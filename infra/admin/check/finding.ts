import type { BugItem } from '../../../lib/bugs/schema.ts';
import { putBugActions } from '../../../lib/bugs/store/write-bug.ts';
import type { Table } from '../../../lib/table/client.ts';
import type { StaleWrite } from '../../../lib/table/errors.ts';
import { type Key, keyText } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/read.ts';
import { type Action, tryTransactWrite } from '../../../lib/table/write.ts';

/**
 * Repairs a violation.
 *
 * @param now `YYYY-MM-DDThh:mm:ssZ`
 * @returns undefined; what has changed since, so that nothing was repaired
 */
export type Repair = (table: Table, now: string) => Promise<StaleWrite | undefined>;

/** Writes a bug, perhaps with other values, so that searches see it. */
export const rewriteBug =
  (bug: BugItem, values: Partial<BugItem> = {}): Repair =>
  (table, now) =>
    tryTransactWrite(table, putBugActions(bug, { ...bug, ...values, revision: bug.revision + 1 }, now));

/** A violation of an invariant of the table. */
export interface Finding {
  /** `pk sk` of the violating or missing item */
  item: string;
  /** continues a sentence about the item */
  violation: string;
  /** identifies the violation across scans, where its text has values that change; absent: the text */
  signature?: string;
  /**
   * One transaction that repairs the violation and fails when the items have changed since, or what makes it when it is
   * written; absent when the violation is ambiguous.
   */
  repair?: Action[] | Repair;
  /** whether it is no violation, but worth knowing */
  isNote?: boolean;
  /** whether other items cannot be checked before this one is repaired */
  blocksRepair?: boolean;
}

/** What is written before what it belongs to is taken for the leftover of an interrupted run after so long. */
const LEFTOVER_MS = 24 * 60 * 60 * 1_000;

/** Whether the run that wrote something may still go on. @param since `YYYY-MM-DDThh:mm:ssZ` */
export const isRecent = (since: string): boolean => Date.now() - Date.parse(since) < LEFTOVER_MS;

/** One line of output. */
export const lineOf = ({ item, violation }: Finding): string => `${item}: ${violation}`;

/** Equal for findings of the same violation in several scans. */
export const identityOf = ({ item, violation, signature = violation }: Finding): string =>
  `${item}: ${signature}`;

/** Checks one invariant during a scan of the table: partition by partition, each in the order of its sort keys. */
export interface Check {
  /** @param items the next page, without items of unknown kinds and those that do not match their schema */
  scan(items: Item[]): Promise<Finding[]>;
  /** The findings that need the whole table. */
  finish?(): Promise<Finding[]>;
}

/**
 * Checks the items of each partition of a kind together: memory holds those of one.
 *
 * @param kind of its key
 */
export function partitionCheck(
  kind: string,
  check: (items: Item[]) => Finding[] | Promise<Finding[]>,
): Check {
  let current: Item[] = [];
  const finish = async () => (current.length === 0 ? [] : check(current));
  return {
    async scan(items) {
      const findings: Finding[] = [];
      for (const item of items.filter(({ pk }) => kindOfKey(pk) === kind)) {
        if (current[0]?.pk !== item.pk) {
          findings.push(...(await finish()));
          current = [];
        }
        current.push(item);
      }
      return findings;
    },
    finish,
  };
}

/** The kind of a key: the text before its first `#`. */
export const kindOfKey = (key: string): string => key.split('#', 1)[0] ?? '';

/** A finding, or its violation, about the item that is looked at unless it names another; false: none. */
export type Problem = string | (Omit<Finding, 'item'> & { item?: string }) | false;

/** A problem that is worth knowing, and no violation. */
export const note = (violation: string) => ({ violation, isNote: true });

/** The findings of the problems of an item. */
export const findingsOf = (key: Key, problems: readonly Problem[]): Finding[] =>
  problems
    .filter((problem) => problem !== false)
    .map((problem) => ({
      item: keyText(key),
      ...(typeof problem === 'string' ? { violation: problem } : problem),
    }));
