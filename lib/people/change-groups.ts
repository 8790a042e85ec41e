import { differences, type UpdateResult } from '../base/collections.ts';
import type { Named } from '../base/names.ts';
import { characters, limitedText, normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { RecordFor } from '../table/idempotency.ts';
import { retryStale } from '../table/retry.ts';
import type { AccountRepository, AccountWrite, StoredAccount } from './account-repository.ts';
import { compileExpression } from './group-expression.ts';
import { type GroupRepository, shownGroupFields } from './group-repository.ts';
import type { GroupUpdate } from './requests.ts';
import type { GroupItem } from './schema.ts';
import { groupNameProblem, groupsProblem, MAX_GROUPS_A_USER, textProblem } from './validation.ts';

/** Transaction actions of the creator of a group, beside those of the group: two for each API key. */
const MAX_MEMBER_ACTIONS = 80;
/** In characters. */
const MAX_GROUP_DESCRIPTION_LENGTH = 10_000;
const MAX_PATTERN_LENGTH = 1_000;

/**
 * Creates a group, of which its creator becomes a member, as administrators are in every group of Bugzilla; but for a group that
 * gives rights: Bugzilla has those from the beginning, so creating one gives no right.
 *
 * @param creator login
 * @param givesRight whether a group of a name does
 * @returns the id
 */
export async function createGroup(
  { groups, accounts }: { groups: GroupRepository; accounts: AccountRepository },
  creator: string,
  given: GroupUpdate,
  givesRight: (group: string) => boolean,
  recordFor: RecordFor,
): Promise<number> {
  const desired = await newGroup(groups, given);
  const { id, name } = desired;
  return retryStale('the user', async (attempt) => {
    // A condition failed: of the user, who is read again, or of the name.
    if (attempt > 1) await requireFree(groups, name);
    const existing = await accounts.read(creator);
    const joins = existing !== undefined && !givesRight(name);
    const members = joins ? accounts.actionsOf([joining(existing, name)]) : [];
    const isTogether = members.length <= MAX_MEMBER_ACTIONS;
    const together = isTogether ? members : [];
    await groups.put([{ existing: undefined, desired }], recordFor(id), together, creator);
    // A user with more API keys joins the group after the transaction that makes it.
    if (!isTogether) {
      await retryStale('the user', async () => {
        const user = await accounts.read(creator);
        if (user !== undefined) await accounts.write(user, joining(user, name).desired);
      });
    }
    return id;
  });
}

/** A group to be added. */
export async function newGroup(groups: GroupRepository, given: GroupUpdate): Promise<GroupItem> {
  const description = checkDescription(given.description ?? '');
  const name = checkGroupName(given.name ?? '');
  await requireFree(groups, name);
  const user_regexp = await checkPattern(given.user_regexp ?? '');
  return groupOf({ id: await groups.allocateId(), name }, description, given.is_active ?? false, user_regexp);
}

async function requireFree(groups: GroupRepository, name: string): Promise<void> {
  if ((await groups.byNames([name])).length > 0) throw errors.groupTaken(name);
}

function joining(existing: StoredAccount, group: string): AccountWrite {
  const groups = [...existing.user.groups, group];
  if (groups.length > MAX_GROUPS_A_USER || groupsProblem(groups) !== undefined) {
    throw errors.requestTooLarge(
      `at most ${MAX_GROUPS_A_USER} groups of a user, with names of 100 KB together`,
    );
  }
  return { existing, desired: { user: { ...existing.user, groups }, keys: existing.keys } };
}

/**
 * Makes the same update of some groups, up to 100 in one transaction.
 *
 * @param who login of the caller, for the audit log
 * @param named ids and names
 */
export async function changeGroups(
  groups: GroupRepository,
  who: string,
  named: readonly Named[],
  update: GroupUpdate,
): Promise<UpdateResult[]> {
  const description = update.description === undefined ? undefined : checkDescription(update.description);
  const pattern = update.user_regexp === undefined ? undefined : await checkPattern(update.user_regexp);
  return retryStale('the groups', async () => {
    const found = new Map<number, GroupItem>();
    for (const one of named) {
      const group = await requireGroup(groups, one);
      found.set(group.id, group);
    }
    for (const group of found.values()) await refuseNewName(groups, group, update.name);
    const writes = [...found.values()].map((existing) => {
      const desired = groupOf(
        existing,
        description ?? existing.description,
        update.is_active ?? existing.is_active ?? true,
        pattern ?? existing.user_regexp ?? '',
      );
      const changes = differences(shownGroupFields(existing), shownGroupFields(desired));
      return { existing, desired, changes };
    });
    const differing = writes.filter(({ changes }) => Object.keys(changes).length > 0);
    await groups.put(differing, undefined, [], who);
    return writes.map(({ existing: { id }, changes }) => ({ id, changes }));
  });
}

/** The group with an id, or a name in any case. */
export async function requireGroup(groups: GroupRepository, { given, byId }: Named): Promise<GroupItem> {
  const name = byId ? await groups.nameById(Number(given)) : trim(given);
  const [group] = name === undefined ? [] : await groups.byNames([name]);
  if (group === undefined) throw errors.groupUnknown(given);
  return group;
}

/** A group as it is stored: without default values. */
const groupOf = (
  { is_active: _, user_regexp: __, ...group }: Omit<GroupItem, 'description'>,
  description: string,
  isActive: boolean,
  pattern: string,
): GroupItem => ({
  ...group,
  description,
  ...(isActive ? {} : { is_active: false }),
  ...(pattern === '' ? {} : { user_regexp: pattern }),
});

/** Names of groups stand in users, products and bugs, so they cannot be changed. */
async function refuseNewName(groups: GroupRepository, group: GroupItem, given?: string): Promise<void> {
  const name = given === undefined ? group.name : checkGroupName(given);
  if (name === group.name) return;
  const isOther = normalizeName(name) !== normalizeName(group.name);
  if (isOther && (await groups.byNames([name])).length > 0) throw errors.groupTaken(name);
  throw errors.parameterInvalid('name', 'names of groups stand in bugs, so they cannot be changed');
}

function checkGroupName(given: string): string {
  const name = trim(given);
  if (name === '') throw errors.groupNameMissing();
  const problem = groupNameProblem(name);
  if (problem !== undefined) throw errors.parameterInvalid('name', `it ${problem}`);
  return name;
}

function checkDescription(given: string): string {
  if (trim(given) === '') throw errors.groupDescriptionMissing();
  const problem = textProblem(trim(given));
  if (problem !== undefined) throw errors.parameterInvalid('description', `it ${problem}`);
  return limitedText('description', given, MAX_GROUP_DESCRIPTION_LENGTH);
}

/** Checks a pattern, which is kept but never matched. */
async function checkPattern(given: string): Promise<string> {
  const pattern = trim(given);
  const isValid = characters(pattern) <= MAX_PATTERN_LENGTH && textProblem(pattern) === undefined;
  if (!isValid || (await compileExpression(pattern)) === undefined) throw errors.groupPatternInvalid(pattern);
  return pattern;
}
