import { start } from './initial-catalogue.ts';
import type { Given } from './model.ts';
import { type Caller, isDigits, Refusal, requireLogin } from './send-request.ts';
import { same, sorted, type World } from './world.ts';

/** functions/README.md 8. */
export function whoami(_: World, caller: Caller) {
  requireLogin(caller);
  const user = start.users.find(({ login }) => login === caller.login);
  return { id: user?.id, name: user?.login, real_name: user?.real_name };
}

/** functions/README.md 8. */
export function getUser(_: World, caller: Caller, { path }: Given) {
  const name = path['id_or_name'] ?? '';
  if (isDigits(name) && caller.login === '') throw new Refusal(401, 505);
  const user = start.users.find(({ id, login }) =>
    isDigits(name) ? id === Number(name) : same(login, name),
  );
  if (user === undefined && isDigits(name)) return { users: [] };
  if (user === undefined) throw new Refusal(404, 51);
  const { id, login, real_name, disabled } = user;
  const known = { id, name: login, real_name };
  if (caller.login === '') return { users: [known] };
  const shared = { ...known, email: login, can_login: disabled === undefined };
  if (caller.login !== login) return { users: [{ ...shared, groups: [] }] };
  const groups = start.groups.filter((group) => user.groups.includes(group.name));
  return {
    users: [
      { ...shared, groups: sorted(groups, ({ name: one }) => one), saved_searches: [], saved_reports: [] },
    ],
  };
}
