import { type Caller, isDigits, Refusal } from './send-request.ts';
import { type Bug, same, type World } from './world.ts';

/** A bug is visible to members of all of its groups, and to its users. functions/README.md 5. */
export function isVisible(bug: Bug, { login, groups }: Caller): boolean {
  const groupsOfUsers = [bug.creator, bug.assigned_to, bug.qa_contact, ...bug.cc];
  return (
    bug.groups.every((group) => groups.includes(group)) || (login !== '' && groupsOfUsers.includes(login))
  );
}

/** The bug with an id or alias. */
export const bugNamed = ({ bugs }: World, given: string): Bug | undefined =>
  bugs.find(({ id, alias }) =>
    isDigits(given.trim()) ? id === Number(given) : alias.some((one) => same(one, given.trim())),
  );

/** The bug with an id or alias. @throws Refusal when the caller cannot see it; functions/README.md 5 */
export function findBug(world: World, caller: Caller, given: string): Bug {
  const bug = bugNamed(world, given);
  if (bug === undefined) throw isDigits(given.trim()) ? new Refusal(404, 101) : new Refusal(400, 100);
  if (!isVisible(bug, caller)) throw new Refusal(401, 102);
  return bug;
}
