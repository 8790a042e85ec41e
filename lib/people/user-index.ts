import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent, portions } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { withoutBound } from '../table/consumption.ts';
import { isSettled, raiseVersion, rangeVersion } from '../table/counters.ts';
import { userIndexKey, userIndexShards, userIndexVersionKey, userIndexVersionRange } from '../table/keys.ts';
import { pacer } from '../table/pacer.ts';
import { readPages, readRange, withKey } from '../table/read.ts';
import type { Action } from '../table/write.ts';
import { type UserIndexEntry, type UserItem, userIndexItem } from './schema.ts';

/** A user's entry in the user index. */
export const userIndexEntry = ({ id, login, real_name, disabled, groups }: UserItem): UserIndexEntry => ({
  id,
  login,
  real_name,
  is_disabled: disabled !== undefined,
  ...(groups.length === 0 ? {} : { groups }),
});

/**
 * The transaction actions by which the user index follows changes of users: the entries that change, and the versions of
 * their shards.
 *
 * @param changes before undefined: it is new
 */
export function userIndexActions(
  changes: readonly { before: UserItem | undefined; after: UserItem }[],
  now: Date,
): Action[] {
  const changed = changes.filter(
    ({ before, after }) =>
      before === undefined || !isDeepStrictEqual(userIndexEntry(before), userIndexEntry(after)),
  );
  const entries = changed.map(
    ({ after }): Action => ({ put: { ...userIndexKey(after.id), ...userIndexEntry(after) } }),
  );
  const versions = new Map(
    changed.map(({ after }) => {
      const key = userIndexVersionKey(after.id);
      return [key.sk, raiseVersion(key, now)];
    }),
  );
  return [...entries, ...versions.values()];
}

/** What is remembered of a user: texts and names of groups are normalized, but for what is shown. */
export const indexedUser = ({ id, login, real_name, is_disabled, groups }: UserIndexEntry) => ({
  shown: { id, login, real_name },
  login: normalizeName(login),
  realName: normalizeName(real_name),
  isDisabled: is_disabled,
  groups: groups?.map(normalizeName) ?? NO_GROUPS,
});
const NO_GROUPS: readonly string[] = [];
export type IndexedUser = ReturnType<typeof indexedUser>;

type ShardKeys = (typeof userIndexShards)[number];

/** Bounds the memory of a process: an entry takes about 250 bytes. */
const MAX_USERS = 1_000_000;
const MAX_SHARD_USERS = MAX_USERS / userIndexShards.length;
/** Shards that are read before they are remembered, so that they stay when the next ones take too long. */
const SHARDS_TOGETHER = 8;
const CONCURRENT_READS = 2;
/** Half of what DynamoDB's tables have by default: others can read meanwhile. */
const READ_UNITS_PER_SECOND = 2_000;

const keyedVersion = withKey(rangeVersion);

/**
 * The user index, remembered between requests. A read of the versions of its shards decides which of them are current;
 * the others are read again.
 */
export function openUserIndex(table: Table, now: () => Date) {
  /** by sort key, the shards as they were read */
  const remembered = new Map<string, { version: number; users: IndexedUser[] }>();
  const pace = pacer(READ_UNITS_PER_SECOND);

  async function readVersions() {
    const found = await readRange(table, userIndexVersionRange, keyedVersion);
    const bySortKey = new Map(found.map((version) => [version.sk, version]));
    return ({ version }: ShardKeys) => bySortKey.get(version.sk) ?? NEVER_CHANGED;
  }

  async function readShard({ entries }: ShardKeys): Promise<IndexedUser[]> {
    const users: IndexedUser[] = [];
    for await (const page of readPages(table, entries, userIndexItem, { pacer: pace })) {
      users.push(...page.map(indexedUser));
      if (users.length > MAX_SHARD_USERS) {
        throw errors.requestTooLarge(`at most ${MAX_USERS} users to find some by match or groups`);
      }
    }
    return users;
  }

  async function readAll(): Promise<readonly (readonly IndexedUser[])[]> {
    await table.format.requireConverted();
    const before = await readVersions();
    const current = new Map<string, readonly IndexedUser[]>();
    const outdated = userIndexShards.filter((shard) => {
      const known = remembered.get(shard.version.sk);
      const isCurrent = known?.version === before(shard).version;
      if (isCurrent) current.set(shard.version.sk, known.users);
      return !isCurrent;
    });
    for (const some of portions(outdated, { max: SHARDS_TOGETHER })) {
      const read = await mapConcurrent(
        some,
        async (shard) => ({ shard, users: await readShard(shard) }),
        CONCURRENT_READS,
      );
      const after = await readVersions();
      for (const { shard, users } of read) {
        const { sk } = shard.version;
        const { version } = before(shard);
        current.set(sk, users);
        const isUnchanged = after(shard).version === version && isSettled(before(shard), now());
        // A concurrent request may have read a later version.
        const isNewer = version > (remembered.get(sk)?.version ?? -1);
        if (isUnchanged && isNewer) remembered.set(sk, { version, users });
      }
    }
    return [...current.values()];
  }

  return {
    /**
     * All users, shard by shard, in no order.
     *
     * @throws BugzillaError 503 before the table of an earlier version is upgraded
     * @throws RetriesExhausted when the shards that are not remembered take longer than the request has
     */
    all: (): Promise<readonly (readonly IndexedUser[])[]> => withoutBound(readAll),
  };
}

/** A shard without a version: of no user, or of users that were all written without it. */
const NEVER_CHANGED = { version: 0, changed_at: 0 };
