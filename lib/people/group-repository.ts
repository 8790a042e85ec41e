import { bit, differences, portions } from '../base/collections.ts';
import { canBeKey } from '../base/names.ts';
import { errors } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { allocateIds, counterItem } from '../table/counters.ts';
import { type IdempotencyRecord, idempotencyActions } from '../table/idempotency.ts';
import { counterKey, groupIdKey, groupKey } from '../table/keys.ts';
import { readItem, readItems } from '../table/read.ts';
import {
  ABSENT,
  type Action,
  asRead,
  differingAttributes,
  MAX_TRANSACTION_ACTIONS,
  setAction,
  transactWriteRetrying,
} from '../table/write.ts';
import { scanAll } from './account-repository.ts';
import { type AuditChange, auditAction } from './audit/repository.ts';
import { groupGraphActions } from './group-graph.ts';
import { type GroupItem, groupIdItem, groupItem } from './schema.ts';
import { checkGroupName, checkText } from './validation.ts';

/** Ids that listing groups reads. */
const MAX_LISTED_GROUPS = 10_000;

/** A group to be written. */
export interface GroupWrite {
  /** as it was read; undefined: it is new, or is stored as it is to be written */
  existing: GroupItem | undefined;
  desired: GroupItem;
}

export type GroupRepository = ReturnType<typeof groupRepository>;

/** Reads and writes groups. */
export function groupRepository(table: Table) {
  return {
    /** The groups with these names, in any case, ordered by id; unknown ones are left out. */
    async byNames(names: string[]): Promise<GroupItem[]> {
      const groups = await readItems(table, names.filter(canBeKey).map(groupKey), groupItem);
      return groups.sort((a, b) => a.id - b.id);
    },

    /** All groups, ordered by id. Scans the table. */
    async list(): Promise<GroupItem[]> {
      return (await scanAll(table, 'GROUP', groupItem)).sort((a, b) => a.id - b.id);
    },

    /** All groups, by the ids that were allocated, because functions may not scan the table. */
    async listByIds(): Promise<GroupItem[]> {
      const { last = 0 } = (await readItem(table, counterKey('group'), counterItem)) ?? {};
      if (last > MAX_LISTED_GROUPS) throw errors.requestTooLarge(`ids of groups up to ${MAX_LISTED_GROUPS}`);
      const keys = Array.from({ length: last }, (_, index) => groupIdKey(index + 1));
      return this.byNames((await readItems(table, keys, groupIdItem)).map(({ name }) => name));
    },

    /** The name of the group with an id; unknown: undefined. */
    async nameById(id: number): Promise<string | undefined> {
      return (await readItem(table, groupIdKey(id), groupIdItem))?.name;
    },

    /** An id for a new group. */
    allocateId: (): Promise<number> => allocateIds(table, 'group'),

    /**
     * Writes groups, up to 100 in one transaction. Neither the id nor the name of an existing group changes by it.
     *
     * @param record of the request, to be stored with them
     * @param members the actions that write who joins them
     * @param who login of who asks for them over REST: each transaction has an entry of the audit log
     * @throws InvalidAccount for a name or description that breaks a rule
     * @throws ConditionFailed when a group was written since it was read, or another group has the id
     */
    async put(
      writes: readonly GroupWrite[],
      record?: IdempotencyRecord,
      members: readonly Action[] = [],
      who?: string,
    ): Promise<void> {
      for (const { desired } of writes) {
        checkGroupName(desired.name);
        checkText('description', desired.description);
      }
      let shared = [...idempotencyActions(record, table.now()), ...members];
      const max = MAX_TRANSACTION_ACTIONS - shared.length - (who === undefined ? 1 : 2);
      for (const some of portions(writes, { max, sizeOf: (write) => putGroupActions(write).length })) {
        const command = `rest ${some.some(({ existing }) => existing === undefined) ? 'add' : 'change'} group`;
        const changes = some.map(groupAuditChange);
        const entry = who === undefined ? [] : [auditAction(table, { who, command, changes })];
        const graph = await groupGraphActions(
          table,
          some.map(({ desired }) => desired),
        );
        await transactWriteRetrying(table, [...some.flatMap(putGroupActions), ...graph, ...shared, ...entry]);
        shared = [];
      }
    },
  };
}

/** The fields of which changes are reported. */
export const shownGroupFields = ({ description, user_regexp = '', is_active = true }: GroupItem) => ({
  description,
  user_regexp,
  is_active: bit(is_active),
});

/** The fields of a group that does not exist. */
const NO_FIELDS = { description: '', user_regexp: '', is_active: '' };

/** What the audit log has of a group that is written. */
export const groupAuditChange = ({ existing, desired }: GroupWrite): AuditChange => ({
  kind: 'group',
  name: desired.name,
  fields: differences(existing ? shownGroupFields(existing) : NO_FIELDS, shownGroupFields(desired)),
});

/** The transaction actions that write a group; the condition fails when it was written since it was read. */
function putGroupActions({ existing, desired }: GroupWrite): Action[] {
  const key = groupKey(desired.name);
  if (existing !== undefined) {
    const read = asRead({ ...NO_ATTRIBUTES, ...existing });
    return [setAction(key, differingAttributes(existing, desired), read)];
  }
  const { id, name } = desired;
  const same = asRead({ ...NO_ATTRIBUTES, ...desired });
  return [
    { put: { ...key, ...desired }, ...same, condition: `${ABSENT} OR (${same.condition})` },
    {
      put: { ...groupIdKey(id), name },
      condition: `${ABSENT} OR #name = :name`,
      values: { ':name': name },
      names: { '#name': 'name' },
    },
  ];
}

const NO_ATTRIBUTES = Object.fromEntries(Object.keys(groupItem.shape).map((name) => [name, undefined]));
