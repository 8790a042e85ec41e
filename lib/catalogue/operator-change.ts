import { type ChangeRecord, fieldChanges, historyChanges } from '../bugs/changes.ts';
import type { BugFields } from '../bugs/fields/registry.ts';
import { flagChanges, flagTexts } from '../bugs/flags/set-flags.ts';
import type { BugItem, HistoryItem } from '../bugs/schema.ts';
import { knownProduct, placeOf } from '../products/place.ts';
import { availableTypes, type ProductWithParts } from '../products/schema.ts';

/** Under whose name a catalogue changes bugs. */
export interface Operator {
  /** the login; called where a bug is changed */
  login(): Promise<string>;
  /** receives the ids of the bugs that were changed */
  onChanged(bug: number): void;
}

/** What a change of a bug by a catalogue follows from. */
interface Sources {
  /** those of the bug before and after */
  products: readonly ProductWithParts[];
  fields: BugFields;
  login: string;
  /** `YYYY-MM-DDThh:mm:ssZ` */
  now: string;
}

/** Whether a catalogue brings a state of a bug that is not newer than what is stored: a restore, or an edit by hand. */
export const isOperatorChange = (existing: BugItem, desired: BugItem): boolean =>
  desired.last_change_time === existing.last_change_time;

/**
 * The change of a bug by an operator, as if it were made by a request: clients that read what changed since a time see it.
 *
 * @returns the entry of its history, what it says as data, and the bug with the time of the change; undefined: no field of the history
 *   differs
 */
export function operatorChange(
  existing: BugItem,
  desired: BugItem,
  { products, fields, login, now }: Sources,
) {
  const productOf = ({ product_id }: BugItem) => products.find(({ product }) => product.id === product_id);
  const placed = (bug: BugItem) => {
    const product = productOf(bug);
    return placeOf(bug, product && knownProduct(product));
  };
  const types = [existing, desired].flatMap((bug) =>
    availableTypes(productOf(bug)?.flagTypes ?? [], 'bug', bug.component_id),
  );
  const places = { before: placed(existing), after: placed(desired) };
  const { changes: differing, ...values } = fieldChanges(existing, desired, places, fields);
  const flags = flagChanges(existing.flags, desired.flags, types);
  const changes = [...historyChanges(differing, [], [], fields), ...flagTexts(flags)];
  if (changes.length === 0) return undefined;
  const when = [now, existing.last_change_time, existing.last_comment_time].sort().at(-1) ?? now;
  const entry: HistoryItem = { bug_id: existing.id, when, who: login, changes };
  const record: ChangeRecord = { ...values, flags, privacy: [] };
  return { bug: { ...desired, last_change_time: when }, entry, record };
}
