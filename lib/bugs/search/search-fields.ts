import { ownWords } from '../../attachments/presenter.ts';
import type { AttachmentItem } from '../../attachments/schema.ts';
import type { CommentItem } from '../../comments/schema.ts';
import { bit } from '../../differences.ts';
import type { NamedFlag } from '../../flags/schema.ts';
import { namedFlags, searchedFlags } from '../../flags/set-flags.ts';
import { availableTypes } from '../../products/flag-types.ts';
import type { BugField } from '../fields/field.ts';
import { type ComparisonKind, kindOf } from '../fields/kinds.ts';
import { storedValue } from '../fields/registry.ts';
import type { SearchOnlyName } from '../fields/search-only-rows.ts';
import type { BugItem } from '../schema.ts';
import { indexedAttribute } from '../store/index-entry.ts';
import type { CoveredBug, SearchedBug } from './searched-bug.ts';

/** How a search reads a field of a bug: no value, one, or several. */
export interface SearchField {
  comparison: ComparisonKind;
  read(searched: SearchedBug): readonly string[] | Promise<readonly string[]>;
  /** the same from the search index; undefined, or absent: it does not have the values */
  ofEntry?: (covered: CoveredBug) => readonly string[] | undefined;
  /** the values that comments give it, of a bug with this summary; absent: it is not about comments */
  ofComments?: (comments: readonly CommentItem[], summary: string) => readonly string[];
  /** whether reading takes more than the bug itself */
  isCostly: boolean;
  /** a bug matches where one value meets the whole condition, also a negative one; else all values are examined */
  isByValue: boolean;
}

/** How a value is read that is not stored with the bug; costly where that takes further reads. */
type Derivation = Pick<SearchField, 'read' | 'isCostly' | 'ofEntry' | 'ofComments'>;

const ofComments = (read: (comments: readonly CommentItem[], summary: string) => string[]): Derivation => ({
  isCostly: true,
  ofComments: read,
  read: async (searched) => read(await searched.comments(), searched.bug.summary),
});
/** A bug without attachments has no values. */
const ATTACHED = {
  isCostly: true,
  ofEntry: ({ bug }: CoveredBug) => (bug.attachment_count === 0 ? [] : undefined),
};
const ofAttachments = (read: (attachment: AttachmentItem) => string): Derivation => ({
  ...ATTACHED,
  read: async (searched) => (await searched.attachments()).map(read),
});
/** The flags of the bug and of the attachments that the caller sees. */
const ofFlags = (read: (flags: readonly NamedFlag[]) => string[]): Derivation => ({
  isCostly: true,
  ofEntry: ({ bug }) => (bug.attachment_count === 0 && bug.flag_count === 0 ? [] : undefined),
  read: async ({ bug, flagTypes, attachments }) => {
    const attached = (await attachments()).flatMap(({ flags }) => flags);
    return read([
      ...namedFlags(bug.flags, availableTypes(flagTypes, 'bug', bug.component_id)),
      ...namedFlags(attached, availableTypes(flagTypes, 'attachment', bug.component_id)),
    ]);
  },
});
const realName = (login: (bug: BugItem) => string): Derivation => ({
  isCostly: true,
  read: async (searched) => [await searched.realName(login(searched.bug))],
});

function percentageComplete({ hours_worked, remaining_time }: BugItem): number {
  const total = hours_worked + remaining_time;
  return total === 0 ? 0 : (100 * hours_worked) / total;
}

const DAY_MS = 86_400_000;
/** The difference of the dates. */
const daysBetween = (time: string, now: Date): number =>
  Math.floor(now.getTime() / DAY_MS) - Math.floor(Date.parse(time) / DAY_MS);

const visitOf = ({ lastVisit }: Pick<SearchedBug | CoveredBug, 'lastVisit'>): string[] =>
  lastVisit === undefined ? [] : [lastVisit];

const DERIVATIONS: Record<SearchOnlyName, Derivation> = {
  percentage_complete: { isCostly: false, read: ({ bug }) => [String(percentageComplete(bug))] },
  assigned_to_realname: realName(({ assigned_to }) => assigned_to),
  reporter_realname: realName(({ reporter }) => reporter),
  qa_contact_realname: realName(({ qa_contact }) => qa_contact),
  longdesc: ofComments((all) => all.map(({ text, attachment_id }) => ownWords(text, attachment_id))),
  'longdescs.isprivate': ofComments((all) => all.map(({ is_private }) => bit(is_private))),
  'longdescs.count': ofComments((all) => [String(all.length)]),
  commenter: ofComments((all) => all.map(({ creator }) => creator)),
  content: ofComments((all, summary) => [
    summary,
    ...all.map(({ text, attachment_id }) => ownWords(text, attachment_id)),
  ]),
  comment_tag: ofComments((all) => all.flatMap(({ tags }) => tags)),
  'attachments.description': ofAttachments(({ summary }) => summary),
  'attachments.filename': ofAttachments(({ file_name }) => file_name),
  'attachments.mimetype': ofAttachments(({ content_type }) => content_type),
  'attachments.ispatch': ofAttachments(({ is_patch }) => bit(is_patch)),
  'attachments.isobsolete': ofAttachments(({ is_obsolete }) => bit(is_obsolete)),
  'attachments.isprivate': ofAttachments(({ is_private }) => bit(is_private)),
  'attachments.submitter': ofAttachments(({ creator }) => creator),
  'attach_data.thedata': { ...ATTACHED, read: (searched) => searched.attachmentTexts() },
  'flagtypes.name': ofFlags(searchedFlags),
  'requestees.login_name': ofFlags((all) => all.flatMap(({ requestee }) => requestee ?? [])),
  'setters.login_name': ofFlags((all) => all.map(({ setter }) => setter)),
  days_elapsed: { isCostly: false, read: ({ bug, now }) => [String(daysBetween(bug.last_change_time, now))] },
  last_visit_ts: { isCostly: false, read: visitOf, ofEntry: visitOf },
  // Bugless has none.
  tag: { isCostly: false, read: () => [], ofEntry: () => [] },
};

const isSearchOnly = (name: string): name is SearchOnlyName => Object.hasOwn(DERIVATIONS, name);

/** A bug without an alias, or a visit, meets no condition on it, not even a negative one: so quicksearch's -word in Bugzilla. */
const BY_VALUE: ReadonlySet<string> = new Set(['alias', 'longdesc', 'last_visit_ts']);

/** How a field is searched; undefined: Bugless does not search by it. */
export function searchField(field: BugField): SearchField | undefined {
  const { name, derived, rest = '', searched } = field;
  const { comparison, isZeroEmpty } = kindOf(field);
  if (searched === undefined) return undefined;
  const shared = { comparison, isByValue: BY_VALUE.has(name) };
  if (derived === 'place') {
    const read = ({ place }: Pick<CoveredBug, 'place'>) => [place[rest] ?? ''];
    return { ...shared, isCostly: false, read, ofEntry: read };
  }
  if (isSearchOnly(name)) return { ...shared, ...DERIVATIONS[name] };
  // No bug is compared as 0, as in Bugzilla.
  const none = isZeroEmpty ? 0 : '';
  const read = ({ bug }: Pick<SearchedBug | CoveredBug, 'bug'>) => textsOf(storedValue(bug, field) ?? none);
  const attribute = indexedAttribute(field);
  if (attribute === undefined) return { ...shared, isCostly: false, read };
  const ofEntry = (covered: CoveredBug) => (covered.omitted.has(attribute) ? undefined : read(covered));
  return { ...shared, isCostly: false, read, ofEntry };
}

/** A stored value as texts: flags are `0` and `1`. */
function textsOf(value: NonNullable<ReturnType<typeof storedValue>>): string[] {
  if (typeof value === 'boolean') return [bit(value)];
  return typeof value === 'object' ? value.map(String) : [String(value)];
}
