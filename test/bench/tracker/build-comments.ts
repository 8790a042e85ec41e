import type { Bugs } from './bugs.ts';
import type { History } from './history.ts';
import type { People } from './users.ts';

const MOST_REMEMBERED = 100;

/** Generates the results of builds as comments on one bug. */
export class Builds {
  readonly #history: History;
  readonly #people: People;
  readonly #bugs: Bugs;
  readonly #times: string[] = [];
  #begun: { bug: ReturnType<Bugs['open']>; machine: string } | undefined;

  constructor(history: History, people: People, bugs: Bugs) {
    this.#history = history;
    this.#people = people;
    this.#bugs = bugs;
  }

  report(): void {
    const { bug, machine } = this.#begin();
    const build = String(bug.comment_count).padStart(7, '0');
    this.#bugs.commentOn(bug, machine, `Build ${build} has passed all tests.`);
    this.#times.push(this.#history.time());
    if (this.#times.length > MOST_REMEMBERED) this.#times.shift();
  }

  /** The id of the bug, and the time after which it got its last `count` comments (at most 99). */
  last(count: number): { bug: number; since: string } {
    return { bug: this.#begin().bug.id, since: this.#times.at(-count - 1) ?? '' };
  }

  #begin() {
    this.#begun ??= { bug: this.#bugs.open(), machine: this.#people.newcomer() };
    return this.#begun;
  }
}
