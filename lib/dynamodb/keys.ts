/**
 * Every key of the table. What stands where:
 *
 * | item                                    | pk                            | sk                         |
 * |-----------------------------------------|-------------------------------|----------------------------|
 * | product                                 | PRODUCT#<id>                  | PRODUCT                    |
 * | its components, flag types              | PRODUCT#<id>                  | COMPONENT#<id> FLAGTYPE#<id> |
 * | its milestones, versions                | PRODUCT#<id>                  | MILESTONE#<id> VERSION#<id> |
 * | product by name                         | PRODUCTNAME#<folded name>     | PRODUCTNAME                |
 * | what listing needs of each product      | CATALOGUE                     | PRODUCT#<padded id>        |
 * | classification                          | CLASSIFICATION#<folded name>  | CLASSIFICATION             |
 * | bug                                     | BUG#<id>                      | BUG                        |
 * | its comments, oldest first              | BUG#<id>                      | COMMENT#<time>#<padded count> |
 * | comments that wait to be written        | BUG#<id>                      | WAITING#<padded id>        |
 * | where a bug was copied from, and when   | BUG#<id>                      | IMPORTED                   |
 * | comment by id                           | COMMENT#<id>                  | COMMENT                    |
 * | bug by alias                            | ALIAS#<folded alias>          | ALIAS                      |
 * | bug by what a catalogue says of it      | BUGSOURCE#<fingerprint>       | BUGSOURCE                  |
 * | tag in use                              | TAG#<folded tag>              | TAG                        |
 * | one for each suffix of a tag in use     | TAGSUFFIX#<first character>   | <suffix>#<folded tag>      |
 * | tag change committed, not yet counted   | TAGCHANGE                     | COMMENT#<padded id>        |
 * | user                                    | USER#<folded login>           | USER                       |
 * | the user's keys, for listing            | USER#<folded login>           | APIKEY#<hash>              |
 * | user by id                              | USERID#<id>                   | USERID                     |
 * | API key                                 | APIKEY#<SHA-256>              | APIKEY                     |
 * | token of a login                        | TOKEN#<SHA-256>               | TOKEN                      |
 * | request that is not to happen twice     | IDEMPOTENCY#<user id>         | KEY#<SHA-256>              |
 * | group                                   | GROUP#<folded name>           | GROUP                      |
 * | last id given                           | COUNTER#<what>                | COUNTER                    |
 *
 * A product's partition is ordered so that one range leaves out what a request does not need:
 * COMPONENT < FLAGTYPE < MILESTONE < PRODUCT < VERSION.
 */
import { normalizeName } from '../text.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** What ids are counted for. */
export type CounterName =
  | 'product'
  | 'component'
  | 'version'
  | 'milestone'
  | 'flagtype'
  | 'bug'
  | 'comment'
  | 'user'
  | 'group';

const padded = (n: number): string => String(n).padStart(10, '0');

export const productPartition = (id: number): string => `PRODUCT#${id}`;
export const productKey = (id: number): Key => ({ pk: productPartition(id), sk: 'PRODUCT' });
export const productNameKey = (name: string): Key => ({
  pk: `PRODUCTNAME#${normalizeName(name)}`,
  sk: 'PRODUCTNAME',
});
export const productIndexPartition = 'CATALOGUE';
export const productIndexKey = (id: number): Key => ({
  pk: productIndexPartition,
  sk: `PRODUCT#${padded(id)}`,
});
export const classificationKey = (name: string): Key => ({
  pk: `CLASSIFICATION#${normalizeName(name)}`,
  sk: 'CLASSIFICATION',
});

/** The kinds of items that a product owns, in the order of their sort keys. */
export type ProductPart = 'COMPONENT' | 'FLAGTYPE' | 'MILESTONE' | 'VERSION';
export const productPartKey = (product: number, part: ProductPart, id: number): Key => ({
  pk: productPartition(product),
  sk: `${part}#${id}`,
});

export const bugPartition = (id: number): string => `BUG#${id}`;
export const bugKey = (id: number): Key => ({ pk: bugPartition(id), sk: 'BUG' });
/** Beside the bug, where only the operator's import looks: no endpoint reads it, no export has it. */
export const importCheckpointKey = (bug: number): Key => ({ pk: bugPartition(bug), sk: 'IMPORTED' });
export const aliasKey = (alias: string): Key => ({ pk: `ALIAS#${normalizeName(alias)}`, sk: 'ALIAS' });
export const bugSourceKey = (fingerprint: string): Key => ({
  pk: `BUGSOURCE#${fingerprint}`,
  sk: 'BUGSOURCE',
});

/** Comments sort by time (`YYYY-MM-DDThh:mm:ssZ`), then by count: that is their order in the bug. */
export const commentKey = (bug: number, time: string, count: number): Key => ({
  pk: bugPartition(bug),
  sk: `COMMENT#${time}#${padded(count)}`,
});
/** The range of sort keys of a bug's comments that are newer than `since`, or of all of them. */
export const commentRange = (since?: string): { from: string; to: string } => ({
  from: since === undefined ? 'COMMENT#' : `COMMENT#${since}#~`,
  to: 'COMMENT#~',
});
/** The range of sort keys of the comments that follow one in its bug. */
export const commentRangeAfter = (time: string, count: number): { from: string; to: string } => ({
  from: `COMMENT#${time}#${padded(count)}~`,
  to: 'COMMENT#~',
});
/** Comments of one bug that wait to be written together, in the order of their ids. */
export const queuedCommentKey = (bug: number, id: number): Key => ({
  pk: bugPartition(bug),
  sk: `WAITING#${padded(id)}`,
});
export const queuedCommentRange = (bug: number): { pk: string; prefix: string } => ({
  pk: bugPartition(bug),
  prefix: 'WAITING#',
});
export const commentPointerKey = (id: number): Key => ({ pk: `COMMENT#${id}`, sk: 'COMMENT' });

export const tagKey = (tag: string): Key => ({ pk: `TAG#${normalizeName(tag)}`, sk: 'TAG' });
/** Where the suffix items stand whose suffix begins with `text` (folded, at least one character). */
export const tagSuffixRange = (text: string): { pk: string; prefix: string } => ({
  pk: `TAGSUFFIX#${firstCharacter(text)}`,
  prefix: text,
});
/** The keys of all suffixes of `tag`: as many as it has characters. */
export function tagSuffixKeys(tag: string): Key[] {
  const all = [...normalizeName(tag)];
  return all.map((first, start) => ({
    pk: `TAGSUFFIX#${first}`,
    sk: `${all.slice(start).join('')}#${normalizeName(tag)}`,
  }));
}
export const tagChangePartition = 'TAGCHANGE';
export const tagChangeKey = (comment: number): Key => ({
  pk: tagChangePartition,
  sk: `COMMENT#${padded(comment)}`,
});

export const userPartition = (login: string): string => `USER#${normalizeName(login)}`;
export const userKey = (login: string): Key => ({ pk: userPartition(login), sk: 'USER' });
export const userIdKey = (id: number): Key => ({ pk: `USERID#${id}`, sk: 'USERID' });
export const userApiKeyKey = (login: string, hash: string): Key => ({
  pk: userPartition(login),
  sk: `APIKEY#${hash}`,
});
export const apiKeyKey = (hash: string): Key => ({ pk: `APIKEY#${hash}`, sk: 'APIKEY' });
export const tokenKey = (hash: string): Key => ({ pk: `TOKEN#${hash}`, sk: 'TOKEN' });
export const idempotencyKey = (user: number, hash: string): Key => ({
  pk: `IDEMPOTENCY#${user}`,
  sk: `KEY#${hash}`,
});
export const groupKey = (name: string): Key => ({ pk: `GROUP#${normalizeName(name)}`, sk: 'GROUP' });
export const counterKey = (what: CounterName): Key => ({ pk: `COUNTER#${what}`, sk: 'COUNTER' });

function firstCharacter(text: string): string {
  const [first = ''] = text;
  return first;
}

const MAX_KEY_PART_BYTES = 1_000;

/**
 * Whether `text` can be part of a key at all (not empty, at most 1,000 bytes folded: DynamoDB allows
 * 2,048 for `pk`, 1,024 for `sk`). What cannot be a key names nothing that exists.
 */
export function canBeKey(text: string): boolean {
  return text !== '' && text.isWellFormed() && Buffer.byteLength(normalizeName(text)) <= MAX_KEY_PART_BYTES;
}
