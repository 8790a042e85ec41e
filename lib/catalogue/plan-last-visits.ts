import { lastVisitRepository } from '../bugs/store/last-visits.ts';
import { accountRepository } from '../people/account-repository.ts';
import type { PlanContext, PlanOfKind } from './plan.ts';

/** Sets when users last visited bugs; visits that the catalogue does not have stay, unless it is whole. */
export async function planLastVisits({ table, catalogue, isWhole }: PlanContext): Promise<PlanOfKind> {
  const visits = lastVisitRepository(table);
  const accounts = accountRepository(table);
  return {
    problems: [],
    async execute() {
      for (const { login, last_visits } of catalogue.users) {
        if (!isWhole && last_visits.length === 0) continue;
        const id = (await accounts.read(login))?.user.id;
        if (id === undefined) continue;
        const known = new Map(
          (await Array.fromAsync(visits.all(id))).flat().map((one) => [one.bug_id, one.last_visit_ts]),
        );
        const changed = last_visits.filter(({ bug, time }) => known.get(bug) !== time);
        await visits.put(changed.map(({ bug, time }) => ({ user_id: id, bug_id: bug, last_visit_ts: time })));
        const given = new Set(last_visits.map(({ bug }) => bug));
        if (isWhole)
          await visits.remove(
            id,
            [...known.keys()].filter((bug) => !given.has(bug)),
          );
      }
    },
  };
}
