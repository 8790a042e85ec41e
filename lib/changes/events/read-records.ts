import * as z from 'zod/mini';
import { normalizeName } from '../../base/text.ts';
import type { ChangeRecord } from '../../bugs/changes.ts';
import { type BugItem, historyItem } from '../../bugs/schema.ts';
import { historyPosition } from '../../table/keys.ts';
import { withKey } from '../../table/read.ts';

const flagState = z.object({ status: z.string(), setter: z.string(), requestee: z.nullable(z.string()) });
const recordedFlag = z.object({
  type_id: z.int(),
  name: z.optional(z.string()),
  attachment_id: z.optional(z.int()),
  before: z.optional(flagState),
  after: z.optional(flagState),
});

const values = z.record(z.string(), z.array(z.union([z.string(), z.number()])));

/** The attributes of the first history entry of a change that have its record. */
const recordAttributes = z.object({
  record: z.optional(
    z.object({
      removed: z._default(values, {}),
      added: z._default(values, {}),
      privacy: z._default(z.array(z.object({ count: z.int(), isPrivate: z.boolean() })), []),
    }),
  ),
  flag_changes: z._default(z.array(recordedFlag), []),
});

/** A history entry with the record of its change, if it is the first one, and with its key. */
export const recordedEntry = withKey(z.extend(historyItem, recordAttributes.shape));

/** The record of a change; without one, as of a change by 1.2 without events, it is empty. @param entries its history */
export function readRecord([first]: readonly z.infer<typeof recordedEntry>[]): ChangeRecord {
  const { removed, added, privacy } = first?.record ?? { removed: {}, added: {}, privacy: [] };
  return { removed, added, privacy, flags: first?.flag_changes ?? [] };
}

/** The records of changes, in their order. @param entries their history */
export function readRecords(entries: readonly z.infer<typeof recordedEntry>[]): ChangeRecord[] {
  const changes = Map.groupBy(entries, ({ when, ...key }) => `${when} ${historyPosition(key).revision}`);
  return [...changes.values()].map(readRecord);
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
