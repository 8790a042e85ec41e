import type { Catalogue } from './schema.ts';

/** The kinds of things in a catalogue that are counted. */
export const kinds = ['groups', 'users', 'classifications', 'products', 'bugs', 'comments'] as const;
export type Kind = (typeof kinds)[number];

/** What became of the things of one kind. */
export interface Counts {
  added: number;
  changed: number;
  unchanged: number;
}
export type Summary = Record<Kind, Counts>;

/** How far the work is. */
export interface Progress {
  kind: Kind;
  done: number;
  total: number;
}
export type Report = (progress: Progress) => void;

const none = (): Counts => ({ added: 0, changed: 0, unchanged: 0 });

/** Nothing counted yet. */
export const nothing = (): Summary => ({
  groups: none(),
  users: none(),
  classifications: none(),
  products: none(),
  bugs: none(),
  comments: none(),
});

/** Counts what was done, and reports it. */
export class SummaryCounter {
  readonly summary = nothing();
  readonly #totals: Record<Kind, number>;
  readonly #report: Report;

  constructor(catalogue: Catalogue, report: Report) {
    this.#report = report;
    this.#totals = {
      groups: catalogue.groups.length,
      users: catalogue.users.length,
      classifications: catalogue.classifications.length,
      products: catalogue.products.length,
      bugs: catalogue.bugs.length,
      comments: catalogue.bugs.reduce((sum, bug) => sum + bug.comments.length, 0),
    };
  }

  count(kind: Kind, outcome: keyof Counts, many = 1): void {
    if (many === 0) return;
    const counts = this.summary[kind];
    counts[outcome] += many;
    const done = counts.added + counts.changed + counts.unchanged;
    this.#report({ kind, done, total: this.#totals[kind] });
  }
}
