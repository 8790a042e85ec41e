import type { Bugs } from './bugs.ts';
import type { History } from './history.ts';
import type { People } from './users.ts';

const MOST_REMEMBERED = 100;

/** A machine that writes the result of every build as a comment into one and the same bug. */
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

  /** The bug's id, and the time after which it got its last `count` comments (at most 99). */
  last(count: number): { bug: number; since: string } {
    return { bug: this.#begin().bug.id, since: this.#times.at(-count - 1) ?? '' };
  }

  #begin() {
    this.#begun ??= { bug: this.#bugs.open(), machine: this.#people.newcomer() };
    return this.#begun;
  }
}
