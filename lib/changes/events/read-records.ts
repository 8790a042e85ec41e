import * as z from 'zod/mini';
import { normalizeName } from '../../base/text.ts';
import type { ChangeRecord } from '../../bugs/changes.ts';
import { type BugItem, historyItem } from '../../bugs/schema.ts';
import type { ProductRepository } from '../../products/repository.ts';
import { historyPosition } from '../../table/keys.ts';
import { withKey } from '../../table/read.ts';
import { guessRecord } from './guess-records.ts';

const flagState = z.object({ status: z.string(), setter: z.string(), requestee: z.nullable(z.string()) });
const recordedFlag = z.object({
  type_id: z.int(),
  name: z.optional(z.string()),
  attachment_id: z.optional(z.int()),
  before: z.optional(flagState),
  after: z.optional(flagState),
});

const values = z.record(z.string(), z.array(z.union([z.string(), z.number()])));

/** The attributes of the first history entry of a change that have its record, where the table has a stream. */
const recordAttributes = z.object({
  record: z.optional(
    z.object({
      removed: z._default(values, {}),
      added: z._default(values, {}),
      privacy: z._default(z.array(z.object({ count: z.int(), isPrivate: z.boolean() })), []),
    }),
  ),
  /** beside the record, because 1.1 reads them here; those that it wrote have no names */
  flag_changes: z._default(z.array(recordedFlag), []),
  /** for 1.1: the counts of the comments whose privacy changed, in the order of the changes */
  comment_counts: z._default(z.array(z.int()), []),
});

/** A history entry with the record of its change, if it is the first one, and with its key. */
export const recordedEntry = withKey(z.extend(historyItem, recordAttributes.shape));

/** The record of a change. @param entries its history */
export async function readRecord(
  entries: readonly z.infer<typeof recordedEntry>[],
  products: ProductRepository,
): Promise<ChangeRecord> {
  const [{ record, flag_changes: flags } = NO_ENTRY] = entries;
  return record === undefined ? guessRecord(entries, products) : { ...record, flags };
}

const NO_ENTRY = { record: undefined, flag_changes: [] };

/** The records of changes, in their order. @param entries their history */
export function readRecords(
  entries: readonly z.infer<typeof recordedEntry>[],
  products: ProductRepository,
): Promise<ChangeRecord[]> {
  const changes = Map.groupBy(entries, ({ when, ...key }) => `${when} ${historyPosition(key).revision}`);
  return Promise.all([...changes.values()].map((some) => readRecord(some, products)));
}

/**
 * Takes changes back from a bug, as far as its groups and people are concerned.
 *
 * @param changes the last ones, oldest first
 */
export function undo(bug: BugItem, changes: readonly ChangeRecord[]): BugItem {
  const list = (name: 'groups' | 'cc'): string[] => {
    const names = new Map(bug[name].map((one) => [normalizeName(one), one]));
    for (const { removed, added } of changes.toReversed()) {
      for (const one of added[name] ?? []) names.delete(normalizeName(String(one)));
      for (const one of removed[name] ?? []) names.set(normalizeName(String(one)), String(one));
    }
    return [...names.values()];
  };
  const person = (name: 'assigned_to' | 'qa_contact'): string => {
    const first = changes.find(({ removed, added }) => name in removed || name in added);
    return first === undefined ? bug[name] : String(first.removed[name]?.[0] ?? '');
  };
  return {
    ...{ ...bug, groups: list('groups'), cc: list('cc') },
    ...{ assigned_to: person('assigned_to'), qa_contact: person('qa_contact') },
  };
}
