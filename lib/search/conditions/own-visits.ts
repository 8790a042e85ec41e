import type { LastVisitRepository } from '../../bugs/store/last-visits.ts';
import { errors } from '../../errors.ts';
import type { Caller } from '../../people/caller.ts';

/** Visits of a user that a search reads: about 2,000 read units. */
const MAX_VISITS = 50_000;

/** When the caller of a search last visited bugs, looked up when all conditions are known. */
export class OwnVisits {
  readonly #caller: Caller;
  readonly #times = new Map<number, string>();
  #isNeeded = false;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Says that the search needs the visits. */
  require(): void {
    this.#isNeeded = true;
  }

  /** Reads the visits, if a condition or the order needs them. */
  async lookUp(visits: Pick<LastVisitRepository, 'all'>): Promise<void> {
    const { user } = this.#caller;
    if (!this.#isNeeded || user === undefined) return;
    for await (const page of visits.all(user.id)) {
      for (const { bug_id, last_visit_ts } of page) this.#times.set(bug_id, last_visit_ts);
      if (this.#times.size > MAX_VISITS) throw errors.searchTooBroad(`${MAX_VISITS} visits of bugs`);
    }
  }

  /** The time of the last visit to a bug, `YYYY-MM-DDThh:mm:ssZ`; none: undefined. */
  of(bug: number): string | undefined {
    return this.#times.get(bug);
  }
}
