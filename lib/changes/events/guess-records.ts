import { createdAttachmentOf } from '../../bugs/attachments/presenter.ts';
import type { LoggedChange } from '../../bugs/change-log/logged-change.ts';
import type { ChangeRecord } from '../../bugs/changes.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import { FLAGS } from '../../bugs/flags/schema.ts';
import { COMMENT_PRIVACY, type HistoryItem } from '../../bugs/schema.ts';
import { isOfBug } from '../../bugs/store/history.ts';
import type { ProductRepository } from '../../products/repository.ts';
import { historyPosition, type Key } from '../../table/keys.ts';

// What changes without a record did, guessed from the texts of their history and from times. Such are those of 1.1.0 and earlier versions,
// of catalogues and imports, and those that were made while the table had no stream. Where a name has a comma, a guess may be wrong.
// With the version that does not run beside 1.1 any more, all of this goes, if what 1.1 wrote is not replayed: the history of a
// catalogue makes no events.

const LISTS = ['groups', 'cc', 'blocks', 'depends_on'];
const PEOPLE = ['assigned_to', 'qa_contact'];

/** The elements of a list in a history. */
const listOf = (text: string): string[] => text.split(', ').filter((element) => element !== '');

/**
 * The record of a change.
 *
 * @param entries its history, with the attributes that 1.1 wrote
 */
export async function guessRecord(
  entries: readonly (HistoryItem & { flag_changes: ChangeRecord['flags']; comment_counts: number[] })[],
  products: Pick<ProductRepository, 'idsByName'>,
): Promise<ChangeRecord> {
  const changes = entries.flatMap((entry) => entry.changes);
  const counts = entries.flatMap(({ comment_counts }) => comment_counts);
  const record: ChangeRecord = {
    ...{ removed: {}, added: {} },
    flags: entries.flatMap(({ flag_changes }) => flag_changes),
    privacy: changes
      .filter(({ field_name }) => field_name === COMMENT_PRIVACY)
      .map(({ added }, at) => ({ count: counts[at], isPrivate: added === '1' })),
  };
  for (const { field_name, removed, added, attachment_id } of changes) {
    if (field_name === FLAGS) record.flags.push(...flagsOf(removed, added, attachment_id));
    const read = LISTS.includes(field_name) ? listOf : (text: string) => [text].filter(Boolean);
    if (LISTS.includes(field_name) || PEOPLE.includes(field_name)) {
      record.removed[field_name] = read(removed);
      record.added[field_name] = read(added);
    }
    if (field_name === 'product') {
      record.removed[field_name] = [...(await products.idsByName([removed])).values()];
    }
  }
  return record;
}

/** Of flags, their names and states; for mails, `flag_changes` has their types. */
function flagsOf(removed: string, added: string, attachment_id: number | undefined): ChangeRecord['flags'] {
  const [before, after] = [removed, added].map((text) => listOf(text).map(parseFlag));
  const target = attachment_id === undefined ? {} : { attachment_id };
  return [
    ...(before ?? []).map(({ name, state }) => ({ type_id: NO_TYPE, name, ...target, before: state })),
    ...(after ?? []).map(({ name, state }) => ({ type_id: NO_TYPE, name, ...target, after: state })),
  ];
}

const NO_TYPE = 0;

function parseFlag(text: string) {
  const {
    name = text,
    status = '',
    requestee = null,
  } = /^(?<name>.*?)(?<status>[?+-])(?:\((?<requestee>.*)\))?$/.exec(text)?.groups ?? {};
  return { name, state: { status, setter: '', requestee } };
}

/** The attachment that was created with a comment: its heading says so. */
export const guessCreated = (comment: CommentItem): number | undefined =>
  comment.revision === undefined ? createdAttachmentOf(comment) : undefined;

/**
 * Which changes comments belong to. Where one author changed a bug several times in a second, a comment may get an event of its own.
 *
 * @param comments those that do not say it, in order, without the description
 * @param found the changes that are known
 * @param history of the bug
 * @param revision of the bug now
 * @returns all changes, in no order
 */
export function guessChanges(
  comments: readonly CommentItem[],
  found: readonly LoggedChange[],
  history: readonly (HistoryItem & Key)[],
  revision: number,
): LoggedChange[] {
  const changes = found.map((change) => ({ ...change }));
  const changed = changes.filter(({ kind }) => kind === 'changed').sort((a, b) => a.revision - b.revision);
  const revisionAt = (time: string): number =>
    changed.findLast((change) => change.time <= time)?.revision ?? (changed[0]?.revision ?? revision + 1) - 1;
  const entries = Map.groupBy(
    history.filter((entry) => isOfBug(historyPosition(entry))),
    (entry) => historyPosition(entry).revision,
  );
  /**
   * The change that a comment came with: the one that created its attachment, whose flags are no second event, or the only one
   * that its author made in that second; undefined: it came alone.
   */
  function changeOf(comment: CommentItem): LoggedChange | undefined {
    const created = createdAttachmentOf(comment);
    const same = changes.filter(({ kind, time }) => kind === 'changed' && time === comment.creation_time);
    const of = (change: LoggedChange) => entries.get(change.revision) ?? [];
    const creating = same.find((change) =>
      of(change).some((entry) =>
        entry.changes.some(({ attachment_id: id }) => id !== undefined && id === created),
      ),
    );
    const [only, ...others] = same.filter((change) => of(change).at(-1)?.who === comment.creator);
    return creating ?? (others.length === 0 ? only : undefined);
  }
  for (const comment of comments) {
    const { count, creation_time: time } = comment;
    const own = changeOf(comment);
    if (own !== undefined && own.comments === undefined) own.comments = [count, 1];
    else changes.push({ kind: 'commented', time, revision: revisionAt(time), comments: [count, 1] });
  }
  return changes;
}
