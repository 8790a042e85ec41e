import { apply } from './commands/apply.ts';
import { check } from './commands/check.ts';
import { exportCommand } from './commands/export.ts';
import { addGroup, listGroups } from './commands/groups.ts';
import { importCommand } from './commands/import.ts';
import { createKey, listKeys, revokeKey } from './commands/keys.ts';
import { schema } from './commands/schema.ts';
import { addUser, changeUser, listUsers } from './commands/users.ts';
import type { Command } from './usage.ts';

/** Every command of the tool. */
export const commands: readonly Command[] = [
  apply,
  exportCommand,
  check,
  importCommand,
  addUser,
  changeUser,
  listUsers,
  createKey,
  listKeys,
  revokeKey,
  addGroup,
  listGroups,
  schema,
];
