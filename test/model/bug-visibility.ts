import { type Caller, isDigits, Refusal } from './send-request.ts';
import { type Bug, same, type World } from './world.ts';

/** Who sees a bug: who is in all of its groups, and its people. functions/README.md 5. */
export function isVisible(bug: Bug, { login, groups }: Caller): boolean {
  const people = [bug.creator, bug.assigned_to, bug.qa_contact, ...bug.cc];
  return bug.groups.every((group) => groups.includes(group)) || (login !== '' && people.includes(login));
}

/** The bug that an id or alias names. */
export const bugNamed = ({ bugs }: World, given: string): Bug | undefined =>
  bugs.find(({ id, alias }) =>
    isDigits(given.trim()) ? id === Number(given) : alias.some((one) => same(one, given.trim())),
  );

/** The bug that an id or alias names, for those who see it. functions/README.md 5. */
export function findBug(world: World, caller: Caller, given: string): Bug {
  const bug = bugNamed(world, given);
  if (bug === undefined) throw isDigits(given.trim()) ? new Refusal(404, 101) : new Refusal(400, 100);
  if (!isVisible(bug, caller)) throw new Refusal(401, 102);
  return bug;
}
