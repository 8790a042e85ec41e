import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { normalizeName } from '../../../lib/base/text.ts';
import { ERASED_DATA } from '../../../lib/bugs/attachments/erased.ts';
import { parseContentType } from '../../../lib/bugs/attachments/validation.ts';
import { MAX_TAGS } from '../../../lib/bugs/comment-tags/validation.ts';
import { isErased } from '../../../lib/bugs/comments/erased.ts';
import { MAX_COMMENT_LENGTH } from '../../../lib/bugs/comments/validation.ts';
import { kindOf } from '../../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS } from '../../../lib/bugs/fields/registry.ts';
import { repairedText } from '../../../lib/catalogue/repaired-text.ts';
import { USER_FIELDS } from '../../../lib/people/user-fields.ts';
import { RESTRICTED } from '../product-access.ts';
import { addedDescriptionId } from '../source-comments.ts';

/** What is compared; `shown` and `hidden`: to whom, and nothing of it is the same. */
export const differenceKinds = [
  'shown here and hidden there',
  'missing here',
  'here only',
  'products',
  'settings',
  'fields of bugs',
  'comments',
  'histories',
  'attachments',
  'users',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Who reads: the owner of the API key, an anonymous reader, or another user, whose keys --also-as names. */
export type Reader = 'administrator' | 'anonymous' | 'user';

/** A difference between the responses of two servers. */
export interface FoundDifference {
  kind: DifferenceKind;
  reader: Reader;
  /** `bug 7, comment 12` */
  where: string;
  field: string;
  there: unknown;
  here: unknown;
  /** whether it is of a bug that has changed there since it was copied */
  isStale?: boolean;
}

/** Which import would mend a difference: the next one, one with --everything, or none. */
export type Mend = 'next' | 'everything' | 'none';

/** What is neither in the catalogue of an import, nor follows from it. */
const KEPT: ReadonlySet<string> = new Set(['creation_time', 'count', 'attachment_id']);

/**
 * Which import mends a difference. A list of bugs shows their fields, so that the next run sees them change; it shows no comments, histories
 * and attachments, which are requested of bugs that have changed, or with --everything.
 */
export function mendedBy({ kind, where, field, there, isStale = false }: FoundDifference): Mend {
  const ofPart = isStale ? 'next' : 'everything';
  switch (kind) {
    case 'products':
    case 'settings':
    case 'users':
    case 'fields of bugs':
      return 'next';
    case 'here only':
      return 'none';
    case 'missing here':
      return field === 'hidden there' ? 'none' : where.includes(',') ? ofPart : 'next';
    case 'comments':
      return KEPT.has(field) ? 'none' : ofPart;
    case 'histories':
      return there === undefined ? 'none' : ofPart;
    case 'attachments':
      // Data that was not read there has no hash.
      return field === 'sha256' && !/^[0-9a-f]{64}$/.test(String(there)) ? 'none' : ofPart;
    case 'shown here and hidden there':
      return where.includes(',') ? (there === undefined ? 'none' : ofPart) : 'next';
  }
}

/** What is written otherwise on purpose. */
interface Rule {
  name: string;
  why: string;
  holds(difference: FoundDifference, context: RuleContext): boolean;
}

export interface RuleContext {
  /** whether a group gives rights here, and they are not given without --grant-rights */
  givesRights: (group: string) => boolean;
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  isDeepStrictEqual(a.map(normalizeName).sort(), b.map(normalizeName).sort());
const isRestricted = (name: string): boolean => normalizeName(name) === RESTRICTED;

const FIELDS = new Map(
  BUILT_IN_FIELDS.flatMap((field) => (field.rest === undefined ? [] : [[field.rest, field]])),
);

/** The SHA-256 of data, in hexadecimal. */
export const hashOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
const ERASED_HASH = hashOf(ERASED_DATA);

/** Of a user here who was imported and has no key yet. */
export const AWAITS_KEY = 'awaits a key';

/** Logins without their domain, as Bugzilla shows them to those who have not logged in. */
const withoutDomains = (value: unknown): string =>
  JSON.stringify(value ?? null).replaceAll(/([\w.+-]+)@[\w.-]+\w/g, '$1');

/** The rules, of which the first that holds counts. infra/MIGRATING.md has the table. */
export const RULES: readonly Rule[] = [
  {
    name: 'restricted products',
    why: `what is not public in Bugzilla has the group ${RESTRICTED} here, until a catalogue says which`,
    holds: ({ field, there, here }) =>
      field === 'groups' &&
      texts(here).some(isRestricted) &&
      sameNames(
        texts(here).filter((name) => !isRestricted(name)),
        texts(there),
      ),
  },
  {
    name: 'groups with rights',
    why: 'groups that give rights here are given with --grant-rights only',
    holds: ({ kind, field, there, here }, { givesRights }) =>
      kind === 'users' &&
      field === 'groups' &&
      sameNames(
        texts(here).filter((name) => !isRestricted(name) && !givesRights(name)),
        texts(there).filter((name) => !givesRights(name)),
      ),
  },
  {
    name: 'users without a key',
    why: 'imported users are disabled until they get a key, and without mails where Bugzilla does not tell',
    holds: ({ kind, field, there, here }) =>
      kind === 'users' &&
      ((field === 'can_login' && there === true && here === AWAITS_KEY) ||
        (field === 'email_enabled' && there === undefined)),
  },
  {
    name: 'users of this service only',
    why: 'users whom Bugzilla does not have stay',
    holds: ({ kind, field, there }) => kind === 'users' && field === 'login' && there === undefined,
  },
  {
    name: 'bugs without comments',
    why: 'a bug of which Bugzilla has no comments gets an empty description',
    holds: ({ field, where, there, here }) => {
      const bug = /^bug (\d+), comment \d+$/.exec(where)?.[1];
      return field === 'id' && there === undefined && here === addedDescriptionId(Number(bug));
    },
  },
  {
    name: 'numbers of comments',
    why: 'comments are numbered without gaps; Bugzilla numbers comments of the same second equally',
    holds: ({ kind, field }) => kind === 'comments' && field === 'count',
  },
  {
    name: 'times of comments',
    why: 'a time before that of the previous comment is raised to it',
    holds: ({ kind, field, there, here }) =>
      kind === 'comments' &&
      field === 'creation_time' &&
      String(here).endsWith(RAISED) &&
      String(there) < String(here),
  },
  {
    name: 'long comments',
    why: `texts are truncated to ${MAX_COMMENT_LENGTH} characters`,
    holds: ({ kind, field, there, here }) =>
      kind === 'comments' &&
      field === 'text' &&
      [...String(here)].length === MAX_COMMENT_LENGTH &&
      String(there).startsWith(String(here)),
  },
  {
    name: 'many tags',
    why: `a comment has at most ${MAX_TAGS} tags`,
    holds: ({ field, there, here }) =>
      field === 'tags' &&
      texts(there).length > MAX_TAGS &&
      texts(here).every((tag) => texts(there).includes(tag)),
  },
  {
    name: 'erased texts and data',
    why: 'an administrator has erased them here: npm run admin -- comment erase, attachment erase',
    holds: ({ kind, field, here, there }) =>
      (kind === 'comments' &&
        field === 'text' &&
        isErased({ text: String(here), attachment_id: attachmentIn(String(here)) })) ||
      (kind === 'attachments' && field === 'sha256' && here === ERASED_HASH) ||
      (kind === 'histories' &&
        there === undefined &&
        / (longdesc|attach_data\.thedata) .*"erased"/.test(String(here))),
  },
  {
    name: 'repaired texts',
    why: 'summaries are on one line, and texts have a maximum length',
    holds: ({ kind, field, there, here }) => {
      const known = FIELDS.get(field);
      if (kind !== 'fields of bugs' || known === undefined || typeof there !== 'string') return false;
      return repairedText(known, there).value === here;
    },
  },
  {
    name: 'content types',
    why: 'a content type that is none becomes application/octet-stream',
    holds: ({ kind, field, there, here }) =>
      kind === 'attachments' &&
      field === 'content_type' &&
      here === 'application/octet-stream' &&
      parseContentType(String(there)) === undefined,
  },
  {
    name: 'empty names',
    why: 'a name that Bugzilla does not have takes the default',
    holds: ({ kind, field, there, here }) => {
      const known = FIELDS.get(field);
      const isName = known !== undefined && kindOf(known).shape === 'name';
      return kind === 'fields of bugs' && isName && there === '' && here !== '';
    },
  },
  {
    name: 'last changes',
    why: 'the last change is not before the last comment, the history, or an erasure here',
    holds: ({ kind, field, there, here }) =>
      kind === 'fields of bugs' && field === 'last_change_time' && String(here) > String(there),
  },
  {
    name: 'control characters in names',
    why: 'names of people have none here',
    holds: ({ kind, field, there, here }) =>
      kind === 'users' &&
      USER_FIELDS.some((one) => one.kind === 'text' && one.name === field) &&
      String(there)
        .replaceAll(/\p{Cc}/gu, '')
        .trim() === String(here).replaceAll(/\p{Cc}/gu, ''),
  },
  {
    name: 'logins without domain',
    why: 'Bugzilla shows logins without their domain to those who have not logged in',
    holds: ({ reader, there, here }) =>
      reader === 'anonymous' && withoutDomains(there) === withoutDomains(here),
  },
];

/** Marks a time here that is that of the previous comment. */
export const RAISED = ' (that of the previous comment)';

const attachmentIn = (text: string): number | null => {
  const id = /^(?:Created|Comment on) attachment (\d+)\n/.exec(text)?.[1];
  return id === undefined ? null : Number(id);
};
