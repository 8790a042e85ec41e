import { bit } from '../../base/collections.ts';
import { ownWords } from '../../bugs/attachments/presenter.ts';
import type { AttachmentItem } from '../../bugs/attachments/schema.ts';
import { indexedAttribute } from '../../bugs/change-log/indexed-bug.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import type { BugField } from '../../bugs/fields/field.ts';
import { type ComparisonKind, kindOf, type StoredValue } from '../../bugs/fields/kinds.ts';
import type { SearchOnlyName } from '../../bugs/fields/search-only-rows.ts';
import type { NamedFlag } from '../../bugs/flags/schema.ts';
import { namedFlags, searchedFlags } from '../../bugs/flags/set-flags.ts';
import type { BugItem } from '../../bugs/schema.ts';
import { availableTypes, type FlagTypeItem } from '../../products/schema.ts';
import { andThen, type Eventual, type ReadBug, type SearchedBug } from './searched-bug.ts';

/** The values of a field; undefined: the bug has to be read. */
type Values = readonly string[] | undefined;

/** How a search reads a field of a bug: no value, one, or several. */
export interface SearchField {
  comparison: ComparisonKind;
  read(searched: SearchedBug): Eventual<Values>;
  /** the attribute of the bug on which the values depend, and on nothing else */
  attribute?: string | undefined;
  /** the values that comments give it, of a bug with this summary; absent: it is not about comments */
  ofComments?: (comments: readonly CommentItem[], summary: string) => readonly string[];
  /** whether reading takes more than the bug itself */
  isCostly: boolean;
}

/** How a value is read that is not stored with the bug; costly where that takes further reads. */
type Derivation = Pick<SearchField, 'read' | 'isCostly' | 'ofComments'>;

const ofComments = (read: (comments: readonly CommentItem[], summary: string) => string[]): Derivation => ({
  isCostly: true,
  ofComments: read,
  read: ({ read: known }) => known?.comments().then((all) => read(all, known.bug.summary)),
});
/** Values of attachments; a bug without attachments has none. */
const ofAttached = (read: (known: ReadBug) => Promise<string[]>): Derivation => ({
  isCostly: true,
  read: (searched) => (searched.value('attachment_count') === 0 ? [] : searched.read && read(searched.read)),
});
const ofAttachments = (read: (attachment: AttachmentItem) => string): Derivation =>
  ofAttached(async (known) => (await known.attachments()).map(read));
/** A flag, with the attachment that has it; without one the bug has it. */
interface FoundFlag {
  flag: NamedFlag;
  attachment?: AttachmentItem;
}

/** The flags of the bug and of the attachments that the caller sees; undefined: the bug has to be read. */
export function flagsOf(searched: SearchedBug): Eventual<FoundFlag[] | undefined> {
  const { flagTypes, read } = searched;
  const typesOf = (target: FlagTypeItem['target']) =>
    availableTypes(flagTypes, target, Number(searched.value('component_id')));
  const isAttachable = searched.value('attachment_count') !== 0 && typesOf('attachment').length > 0;
  if (searched.value('flag_count') === 0 && !isAttachable) return [];
  return read && readFlags(read);

  async function readFlags({ bug, attachments }: ReadBug): Promise<FoundFlag[]> {
    const attached = isAttachable ? await attachments() : [];
    return [
      ...namedFlags(bug.flags, typesOf('bug')).map((flag) => ({ flag })),
      ...attached.flatMap((attachment) =>
        namedFlags(attachment.flags, typesOf('attachment')).map((flag) => ({ flag, attachment })),
      ),
    ];
  }
}

const ofFlags = (read: (flags: readonly NamedFlag[]) => string[]): Derivation => ({
  isCostly: true,
  read: (searched) => andThen(flagsOf(searched), (found) => found && read(found.map(({ flag }) => flag))),
});
const realName = (login: (bug: BugItem) => string): Derivation => ({
  isCostly: true,
  read: ({ read: known }) => known?.realName(login(known.bug)).then((name) => [name]),
});

/** A value that other attributes give; undefined where one of them is not known. */
const computed = (
  attributes: readonly string[],
  compute: (values: StoredValue[], now: Date) => number,
): Derivation => ({
  isCostly: false,
  read(searched) {
    const values = attributes.map((one) => searched.value(one)).filter((one) => one !== undefined);
    return values.length < attributes.length ? undefined : [String(compute(values, searched.now))];
  },
});

function percentageComplete([hours, remaining]: StoredValue[]): number {
  const [worked, total] = [Number(hours), Number(hours) + Number(remaining)];
  return total === 0 ? 0 : (100 * worked) / total;
}

const DAY_MS = 86_400_000;
/** The difference of the dates. */
const daysBetween = (time: string, now: Date): number =>
  Math.floor(now.getTime() / DAY_MS) - Math.floor(Date.parse(time) / DAY_MS);

const visitOf = ({ lastVisit }: Pick<SearchedBug, 'lastVisit'>): string[] =>
  lastVisit === undefined ? [] : [lastVisit];

const ownTexts = (all: readonly CommentItem[]): string[] =>
  all.map(({ text, attachment_id }) => ownWords(text, attachment_id));

const DERIVATIONS: Record<SearchOnlyName, Derivation> = {
  percentage_complete: computed(['hours_worked', 'remaining_time'], percentageComplete),
  assigned_to_realname: realName(({ assigned_to }) => assigned_to),
  reporter_realname: realName(({ reporter }) => reporter),
  qa_contact_realname: realName(({ qa_contact }) => qa_contact),
  longdesc: ofComments(ownTexts),
  'longdescs.count': ofComments((all) => [String(all.length)]),
  content: ofComments((all, summary) => [summary, ...ownTexts(all)]),
  'attachments.description': ofAttachments(({ summary }) => summary),
  'attachments.filename': ofAttachments(({ file_name }) => file_name),
  'attachments.mimetype': ofAttachments(({ content_type }) => content_type),
  'attachments.ispatch': ofAttachments(({ is_patch }) => bit(is_patch)),
  'attachments.isobsolete': ofAttachments(({ is_obsolete }) => bit(is_obsolete)),
  'attachments.isprivate': ofAttachments(({ is_private }) => bit(is_private)),
  'attachments.submitter': ofAttachments(({ creator }) => creator),
  'attach_data.thedata': ofAttached((known) => known.attachmentTexts()),
  'flagtypes.name': ofFlags(searchedFlags),
  'requestees.login_name': ofFlags((all) => all.flatMap(({ requestee }) => requestee ?? [])),
  'setters.login_name': ofFlags((all) => all.map(({ setter }) => setter)),
  days_elapsed: computed(['last_change_time'], ([time], now) => daysBetween(String(time), now)),
  cc_count: computed(['cc'], ([cc]) => (Array.isArray(cc) ? cc.length : 0)),
  last_visit_ts: { isCostly: false, read: visitOf },
  // Bugless has none.
  tag: { isCostly: false, read: () => [] },
};

const isSearchOnly = (name: string): name is SearchOnlyName => Object.hasOwn(DERIVATIONS, name);

/** A bug without an alias, or a visit, meets no condition on it, not even a negative one: so quicksearch's -word in Bugzilla. */
const BY_VALUE: ReadonlySet<string> = new Set(['alias', 'longdesc', 'last_visit_ts']);
/** One of these people has all words. */
const PEOPLE: ReadonlySet<string> = new Set([
  ...['cc', 'commenter', 'attachments.submitter', 'requestees.login_name', 'setters.login_name'],
]);

/**
 * Whether one value of a field has to meet a whole condition; else all values are examined together.
 *
 * @param name the internal one
 */
export function isByValue(name: string, operator: string): boolean {
  if (name === 'flagtypes.name') return !operator.startsWith('not');
  return BY_VALUE.has(name) || (PEOPLE.has(name) && operator.startsWith('all'));
}

/** How a field is searched; undefined: Bugless does not search by it. */
export function searchField(field: BugField): SearchField | undefined {
  const { name, derived, rest = '', searched, ofComment } = field;
  const { comparison, isZeroEmpty, empty } = kindOf(field);
  if (searched === undefined) return undefined;
  const shared = { comparison };
  if (derived === 'place') {
    const attribute = rest === 'component' ? 'component_id' : 'product_id';
    return { ...shared, attribute, isCostly: false, read: ({ place }) => [place[rest] ?? ''] };
  }
  if (ofComment !== undefined) return { ...shared, ...ofComments((all) => all.flatMap(ofComment)) };
  if (isSearchOnly(name)) return { ...shared, ...DERIVATIONS[name] };
  const attribute = indexedAttribute(field);
  if (attribute === undefined) return undefined;
  // No bug is compared as 0, as in Bugzilla.
  const none = (field.custom === undefined ? null : empty) ?? (isZeroEmpty ? 0 : '');
  return {
    ...{ ...shared, attribute, isCostly: false },
    read(searched) {
      const value = searched.value(attribute);
      return value === undefined ? undefined : textsOf(value ?? none);
    },
  };
}

/** A stored value as texts: flags are `0` and `1`. */
function textsOf(value: NonNullable<StoredValue>): string[] {
  if (typeof value === 'boolean') return [bit(value)];
  return typeof value === 'object' ? value.map(String) : [String(value)];
}
