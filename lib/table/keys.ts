/**
 * The item map, and every key of the table.
 *
 * | item                                     | pk                           | sk                          |
 * |------------------------------------------|------------------------------|-----------------------------|
 * | product, a document with its parts       | PRODUCT#<id>                 | PRODUCT                     |
 * | its parts beyond 64 KB                   | PRODUCT#<id>                 | PARTS#<token>#<padded index> |
 * | product by name (unique)                 | PRODUCTNAME#<name>           | PRODUCTNAME                 |
 * | product index: what listing needs        | PRODUCTINDEX                 | PRODUCT#<padded id>         |
 * | its version, raised with every change    | PRODUCTINDEX                 | VERSION                     |
 * | classification                           | CLASSIFICATION#<name>        | CLASSIFICATION              |
 * | bug                                      | BUG#<id>                     | BUG                         |
 * | the run that has begun to write it in steps | BUG#<id>                  | APPLYING                    |
 * | its comments, oldest first               | BUG#<id>                     | COMMENT#<time>#<padded count> |
 * | comments queued for group commit         | BUG#<id>                     | QUEUED#<padded id>          |
 * | its changes, oldest first                | BUG#<id>                     | HISTORY#<time>#<padded revision>, of comments with #<padded count> |
 * | its attachments, without their data      | BUG#<id>                     | ATTACHMENT#<padded id>      |
 * | comment by id                            | COMMENT#<id>                 | COMMENT                     |
 * | bug of an attachment                     | ATTACHMENT#<id>              | ATTACHMENT                  |
 * | part of the data of an attachment        | ATTACHMENTDATA#<id>#<part>   | PART                        |
 * | bug by alias (unique)                    | ALIAS#<alias>                | ALIAS                       |
 * | ids that 1.1.0 and earlier gave to a catalogue file | ASSIGNEDIDS#<SHA-256> | ASSIGNEDIDS                 |
 * | search index: which segments it has      | SEARCHINDEX                  | MANIFEST                    |
 * | segment of the search index              | SEGMENT#<uuid>               | SEGMENT                     |
 * | posting: a bug with a word in its comments | WORD#<word>, WORD#@<login>, WORD#* | BUG#<padded id> or PRIVATE#<padded id> |
 * | postings of several bugs                 | the same                     | BUG#+<uuid> or PRIVATE#+<uuid> |
 * | change log: bugs by the time when they were written last | CHANGED#<shard> | <time>#<padded id>          |
 * | bug settings: legal values, custom fields | FIELDVALUES                  | FIELDVALUES                 |
 * | keyword                                  | KEYWORDS                     | KEYWORD#<name>              |
 * | tag in use                               | TAG#<tag>                    | TAG                         |
 * | one for each suffix of a tag             | TAGSUFFIX#<first character>  | <suffix>#<tag>              |
 * | user                                     | USER#<login>                 | USER                        |
 * | the user's API keys, for listing         | USER#<login>                 | APIKEY#<hash>               |
 * | user index: what finding users needs     | USERINDEX                    | ENTRY#<shard>#<padded id>   |
 * | its versions, each raised with every change of the shard | USERINDEX      | VERSION#<shard>             |
 * | user by id                               | USERID#<id>                  | USERID                      |
 * | API key, for authentication              | APIKEY#<SHA-256>             | APIKEY                      |
 * | sign-in by mail that was asked for       | SIGNIN#<SHA-256 of the verifier> | SIGNIN                  |
 * | browser in which a user has signed in    | SIGNIN#<SHA-256 of its secret>   | BROWSER                 |
 * | mails for sign-ins in an hour            | SIGNINHOUR#<hour>            | SIGNINHOUR                  |
 * | login token                              | TOKEN#<SHA-256>              | TOKEN                       |
 * | idempotency record                       | IDEMPOTENCY#<user id>        | KEY#<SHA-256>               |
 * | last visits of a user to bugs            | LASTVISIT#<user id>          | BUG#<padded id>             |
 * | saved searches of a user                 | SAVEDSEARCHES#<user id>      | SAVEDSEARCHES               |
 * | who shares saved searches with a group   | SHARERS#<group id>           | SHARERS                     |
 * | what a user watches                      | WATCHES#<user id>            | WATCHES                     |
 * | who watches a user, product or component | WATCHERS#<kind>#<id>         | WATCHERS                    |
 * | secret of links that turn mails off       | UNSUBSCRIBE                  | UNSUBSCRIBE                 |
 * | mail of a change to a user, being sent or sent | MAIL#<bug>#<change>  | <padded user id>#<mail>     |
 * | how far the mails of a change came to dependent bugs | MAIL#<bug>#<change> | <padded 0>#progress |
 * | mails sent in an hour                    | MAILHOUR#<hour>              | MAILHOUR                    |
 * | group                                    | GROUP#<name>                 | GROUP                       |
 * | group by id                              | GROUPID#<id>                 | GROUPID                     |
 * | how groups are in groups                 | FORMAT                       | GROUPS                      |
 * | counter: the last id allocated           | COUNTER#<what>               | COUNTER                     |
 * | format of the table                      | FORMAT                       | FORMAT                      |
 * | command of an administrator that writes  | AUDIT                        | <time>#<token>              |
 *
 * Names, aliases, logins and tags are normalized (lib/base/text.ts).
 */
import { firstCharacter, normalizeName } from '../base/text.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** Attributes of an item, or values of an expression, by name. */
export type Attributes = Record<string, unknown>;

const key = (pk: string, sk: string): Key => ({ pk, sk });

/** A key as one text, which no other key has: of partitions with names, no sort key has a space. */
export const keyText = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** The key of an item, which has it among other attributes. */
export const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });

export const formatKey: Key = { pk: 'FORMAT', sk: 'FORMAT' };

/** The kinds of ids, each with its counter. */
export type CounterName =
  | 'product'
  | 'classification'
  | 'component'
  | 'version'
  | 'milestone'
  | 'flagtype'
  | 'flag'
  | 'attachment'
  | 'bug'
  | 'comment'
  | 'user'
  | 'group';

const padded = (n: number): string => String(n).padStart(10, '0');

const productPartition = (id: number): string => `PRODUCT#${id}`;
export const productKey = (id: number): Key => key(productPartition(id), 'PRODUCT');
export const productNameKey = (name: string): Key => key(`PRODUCTNAME#${normalizeName(name)}`, 'PRODUCTNAME');
export const productIndexPartition = 'PRODUCTINDEX';
export const productIndexKey = (id: number): Key => key(productIndexPartition, `PRODUCT#${padded(id)}`);
/** The entries of the product index, without its version. */
export const productIndexRange: { pk: string; prefix: string } = {
  pk: productIndexPartition,
  prefix: 'PRODUCT#',
};
export const productIndexVersionKey: Key = { pk: productIndexPartition, sk: 'VERSION' };
export const classificationKey = (name: string): Key =>
  key(`CLASSIFICATION#${normalizeName(name)}`, 'CLASSIFICATION');

/** Parts that do not fit into the item of the product, which has the token. */
export const productPartsKey = (product: number, token: string, index: number): Key =>
  key(productPartition(product), `PARTS#${token}#${padded(index)}`);

export const bugPartition = (id: number): string => `BUG#${id}`;
export const BUG_SORT_KEY = 'BUG';
export const bugKey = (id: number): Key => key(bugPartition(id), BUG_SORT_KEY);
export const aliasKey = (alias: string): Key => key(`ALIAS#${normalizeName(alias)}`, 'ALIAS');
/** Sorts before everything else of the bug. */
export const bugApplyingKey = (bug: number): Key => key(bugPartition(bug), 'APPLYING');

/** Sorts by time (`YYYY-MM-DDThh:mm:ssZ`), then by count, which is the order in the bug. */
export const commentKey = (comment: { bug_id: number; creation_time: string; count: number }): Key =>
  key(bugPartition(comment.bug_id), `COMMENT#${comment.creation_time}#${padded(comment.count)}`);
/** The sort keys of a bug's comments that are newer than `since`, or of all. */
export const commentRange = (since?: string): { from: string; to: string } => ({
  from: since === undefined ? 'COMMENT#' : `COMMENT#${since}#~`,
  to: 'COMMENT#~',
});
/** The sort keys of a bug's comments that are not newer than `since`. */
export const commentRangeUntil = (since: string): { from: string; to: string } => ({
  from: 'COMMENT#',
  to: `COMMENT#${since}#~`,
});
/** The sort keys of the comments that follow a given one. */
export const commentRangeAfter = (time: string, count: number): { from: string; to: string } => ({
  from: `COMMENT#${time}#${padded(count)}~`,
  to: 'COMMENT#~',
});
/** The sort keys of a bug's comments before a given one, of those that are newer than `since`. */
export const commentRangeBefore = (
  { creation_time, count }: { creation_time: string; count: number },
  since?: string,
): { from: string; to: string } => ({
  ...commentRange(since),
  to: count === 0 ? `COMMENT#${creation_time}#` : `COMMENT#${creation_time}#${padded(count - 1)}~`,
});
/** The attachments of a bug are ordered by id. */
export const attachmentKey = (bug: number, id: number): Key =>
  key(bugPartition(bug), `ATTACHMENT#${padded(id)}`);
export const attachmentRange: { prefix: string } = { prefix: 'ATTACHMENT#' };
export const attachmentPointerKey = (id: number): Key => key(`ATTACHMENT#${id}`, 'ATTACHMENT');
/** Each part of the data has a partition of its own. */
export const attachmentPartKey = (id: number, part: number): Key =>
  key(`ATTACHMENTDATA#${id}#${part}`, 'PART');
/** The queue of a bug is ordered by comment id. */
export const queuedCommentKey = (bug: number, id: number): Key =>
  key(bugPartition(bug), `QUEUED#${padded(id)}`);
export const queuedCommentRange = (bug: number): { pk: string; prefix: string } => ({
  pk: bugPartition(bug),
  prefix: 'QUEUED#',
});
export const commentPointerKey = (id: number): Key => key(`COMMENT#${id}`, 'COMMENT');

/** Sorts by time, then by the revision that the change made; hours that come with a comment have its count, too. */
export const historyKey = (bug: number, time: string, revision: number, count?: number): Key =>
  key(
    bugPartition(bug),
    ['HISTORY', time, padded(revision), ...(count === undefined ? [] : [padded(count)])].join('#'),
  );
/** The sort keys of a bug's changes that are later than `since`, or of all. */
export const historyRange = (since?: string): { from: string; to: string } => ({
  from: since === undefined ? 'HISTORY#' : `HISTORY#${since}#~`,
  to: 'HISTORY#~',
});
/** The sort keys of a bug's history before a second, and after `since`. */
export const historyRangeBefore = (before: string, since?: string): { from: string; to: string } => ({
  ...historyRange(since),
  to: `HISTORY#${before}`,
});
/** The sort keys of what the history has of a change: one entry, its divisions, and hours that came with comments. */
export const historyRangeOf = (time: string, revision: number): { from: string; to: string } => ({
  from: `HISTORY#${time}#${padded(revision)}`,
  to: `HISTORY#${time}#${padded(revision)}#~`,
});
/** The sort keys of the history after a change. */
export const historyRangeAfter = (time: string, revision: number): { from: string; to: string } => ({
  from: `HISTORY#${time}#${padded(revision)}#~`,
  to: 'HISTORY#~',
});
/** The time, the revision and the count that the key of a history entry has. */
export function historyPosition({ sk }: Pick<Key, 'sk'>): {
  time: string;
  revision: number;
  count: number | undefined;
} {
  const [, time = '', revision, count] = sk.split('#');
  return { time, revision: Number(revision), count: count === undefined ? undefined : Number(count) };
}

export const searchManifestKey: Key = { pk: 'SEARCHINDEX', sk: 'MANIFEST' };
/** Each segment has a partition of its own, which bounds how fast it is read. */
export const segmentKey = (id: string): Key => key(`SEGMENT#${id}`, 'SEGMENT');

/** One partition would bound how many bugs change in a second. */
const CHANGED_SHARDS = 4;
export const changedPartitions: readonly string[] = Array.from(
  { length: CHANGED_SHARDS },
  (_, shard) => `CHANGED#${shard}`,
);
export const changedKey = (bug: number, time: string): Key =>
  key(`CHANGED#${bug % CHANGED_SHARDS}`, `${time}#${padded(bug)}`);
/** The bug of an entry of the change log. */
export const bugOfChangeKey = ({ sk }: Pick<Key, 'sk'>): number => Number(sk.slice(sk.lastIndexOf('#') + 1));
/** The time of an entry of the change log. */
export const timeOfChangeKey = ({ sk }: Pick<Key, 'sk'>): string => sk.slice(0, sk.indexOf('#'));
/** The sort keys of changes from a sort key, or a time; '': of all. */
export const changedRange = (since: string): { from: string; to: string } => ({
  from: since === '' ? '0' : since,
  to: '~',
});

/** A word in the comments of a bug, or in its private ones. */
export const wordKey = (word: string, bug: number, isPrivate: boolean): Key =>
  key(`WORD#${word}`, `${isPrivate ? 'PRIVATE' : 'BUG'}#${padded(bug)}`);
/** The word of a posting, and whether only private comments have it. */
export const wordOfPosting = ({ pk }: Pick<Key, 'pk'>): string => pk.slice('WORD#'.length);
export const isPrivatePosting = ({ sk }: Pick<Key, 'sk'>): boolean => sk.startsWith('PRIVATE#');
/** The postings of a word; those of private comments are ordered after the others. */
export const wordRange = (word: string, withPrivate: boolean): { pk: string; prefix?: string } =>
  withPrivate ? { pk: `WORD#${word}` } : { pk: `WORD#${word}`, prefix: 'BUG#' };

/** The key of postings of several bugs, of which one is given. */
export const packedWordKey = ({ pk, sk }: Key, unique: string): Key => ({
  pk,
  sk: `${sk.slice(0, sk.indexOf('#'))}#+${unique}`,
});
/** The key that the posting of one of these bugs has by itself. */
export const unpackedWordKey = ({ pk, sk }: Key, bug: number): Key => ({
  pk,
  sk: `${sk.slice(0, sk.indexOf('+'))}${padded(bug)}`,
});
/** The items with postings of several bugs, in the partition of a word. */
export const packedWordRange = (pk: string, isPrivate: boolean): { pk: string; prefix: string } => ({
  pk,
  prefix: `${isPrivate ? 'PRIVATE' : 'BUG'}#+`,
});

export const bugSettingsKey: Key = { pk: 'FIELDVALUES', sk: 'FIELDVALUES' };
export const keywordsPartition = 'KEYWORDS';
export const keywordKey = (name: string): Key => key(keywordsPartition, `KEYWORD#${normalizeName(name)}`);

export const tagKey = (tag: string): Key => key(`TAG#${normalizeName(tag)}`, 'TAG');
/** The suffix items whose suffix begins with `text` (normalized, at least one character). */
export const tagSuffixRange = (text: string): { pk: string; prefix: string } => ({
  pk: `TAGSUFFIX#${firstCharacter(text)}`,
  prefix: text,
});
/** The keys of all suffixes of `tag`: as many as it has characters. */
export function tagSuffixKeys(tag: string): Key[] {
  const all = [...normalizeName(tag)];
  return all.map((first, start) =>
    key(`TAGSUFFIX#${first}`, `${all.slice(start).join('')}#${normalizeName(tag)}`),
  );
}

export const userPartition = (login: string): string => `USER#${normalizeName(login)}`;
export const userKey = (login: string): Key => key(userPartition(login), 'USER');
const userIndexPartition = 'USERINDEX';
/** One version of the index would bound how many users change in a second, and each change would make all of it be read. */
const USER_INDEX_SHARDS = 16;
const userIndexShard = (user: number): string => String(user % USER_INDEX_SHARDS).padStart(2, '0');
export const userIndexKey = (user: number): Key =>
  key(userIndexPartition, `ENTRY#${userIndexShard(user)}#${padded(user)}`);
export const userIndexVersionKey = (user: number): Key =>
  key(userIndexPartition, `VERSION#${userIndexShard(user)}`);
/** The shards of the user index: the key of the version of each, and its entries. */
export const userIndexShards: readonly { version: Key; entries: { pk: string; prefix: string } }[] =
  Array.from({ length: USER_INDEX_SHARDS }, (_, shard) => ({
    version: userIndexVersionKey(shard),
    entries: { pk: userIndexPartition, prefix: `ENTRY#${userIndexShard(shard)}#` },
  }));
/** The versions of all shards. */
export const userIndexVersionRange: { pk: string; prefix: string } = {
  pk: userIndexPartition,
  prefix: 'VERSION#',
};
export const userIdKey = (id: number): Key => key(`USERID#${id}`, 'USERID');
export const userApiKeyKey = (login: string, hash: string): Key =>
  key(userPartition(login), `APIKEY#${hash}`);
export const apiKeyKey = (hash: string): Key => key(`APIKEY#${hash}`, 'APIKEY');
/** @param challenge hexadecimal SHA-256 of the verifier that the page keeps */
export const signInKey = (challenge: string): Key => key(`SIGNIN#${challenge}`, 'SIGNIN');
/** @param hash hexadecimal SHA-256 of the secret that the browser keeps */
export const knownBrowserKey = (hash: string): Key => key(`SIGNIN#${hash}`, 'BROWSER');
/** @param hour `YYYY-MM-DDThh` */
export const signInHourKey = (hour: string): Key => key(`SIGNINHOUR#${hour}`, 'SIGNINHOUR');
export const tokenKey = (hash: string): Key => key(`TOKEN#${hash}`, 'TOKEN');
export const idempotencyKey = (user: number, hash: string): Key => key(`IDEMPOTENCY#${user}`, `KEY#${hash}`);
export const lastVisitPartition = (user: number): string => `LASTVISIT#${user}`;
export const lastVisitKey = (user: number, bug: number): Key =>
  key(lastVisitPartition(user), `BUG#${padded(bug)}`);
export const savedSearchesKey = (user: number): Key => key(`SAVEDSEARCHES#${user}`, 'SAVEDSEARCHES');
export const sharersKey = (group: number): Key => key(`SHARERS#${group}`, 'SHARERS');
export const watchesKey = (user: number): Key => key(`WATCHES#${user}`, 'WATCHES');
/** @param kind what has the id: `user`, `product` or `component` */
export const watchersKey = ({ kind, id }: { kind: string; id: number }): Key =>
  key(`WATCHERS#${kind.toUpperCase()}#${id}`, 'WATCHERS');
export const unsubscribeKey: Key = { pk: 'UNSUBSCRIBE', sk: 'UNSUBSCRIBE' };
/** @param change names the change among those of its bug */
export const mailKey = (bug: number, change: string, user: number, mail: string): Key =>
  key(`MAIL#${bug}#${change}`, `${padded(user)}#${mail}`);
/** @param hour `YYYY-MM-DDThh` */
export const mailHourKey = (hour: string): Key => key(`MAILHOUR#${hour}`, 'MAILHOUR');
export const groupKey = (name: string): Key => key(`GROUP#${normalizeName(name)}`, 'GROUP');
/** In the partition that every function may read, also with the policies of 1.2.0 in a rollback. */
export const groupGraphKey: Key = { pk: 'FORMAT', sk: 'GROUPS' };
export const groupIdKey = (id: number): Key => key(`GROUPID#${id}`, 'GROUPID');
export const counterKey = (what: CounterName): Key => key(`COUNTER#${what}`, 'COUNTER');

export const auditPartition = 'AUDIT';
/** Sorts by the time (`YYYY-MM-DDThh:mm:ssZ`) when the command began. */
export const auditKey = (time: string, token: string): Key => key(auditPartition, `${time}#${token}`);
/** The commands that began at a time or later. @param to sort key of the last one; '': the newest */
export const auditRange = (since: string, to = ''): { pk: string; from: string; to: string } => ({
  pk: auditPartition,
  from: since === '' ? '0' : since,
  to: to === '' ? '~' : to,
});
