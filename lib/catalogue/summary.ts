import type { BugDigest } from './bug-digest.ts';
import type { CatalogueSource } from './schema.ts';

/** The lists of a catalogue that are counted. */
export const kinds = ['groups', 'users', 'classifications', 'products', 'bugs', 'comments'] as const;
export type Kind = (typeof kinds)[number];

export interface Counts {
  added: number;
  changed: number;
  unchanged: number;
}
export type Summary = Record<Kind, Counts>;

interface Progress {
  /** comments are counted with their bugs; `bugs read`: compared with the table, before anything is written */
  kind: Kind | 'bugs read';
  done: number;
  total: number;
}
export type Report = (progress: Progress) => void;

const zero = (): Counts => ({ added: 0, changed: 0, unchanged: 0 });

/** Counts changes, and reports the progress. */
export class SummaryCounter {
  readonly summary: Summary = {
    ...{ groups: zero(), users: zero(), classifications: zero(), products: zero() },
    ...{ bugs: zero(), comments: zero() },
  };
  readonly #catalogue: CatalogueSource;
  readonly #digest: BugDigest;
  readonly #report: Report;
  #read = 0;

  constructor(catalogue: CatalogueSource, digest: BugDigest, report: Report) {
    this.#catalogue = catalogue;
    this.#digest = digest;
    this.#report = report;
  }

  countRead(bugs: number): void {
    this.#read += bugs;
    this.#report({ kind: 'bugs read', done: this.#read, total: this.#digest.bugs });
  }

  count(kind: Kind, outcome: keyof Counts, amount = 1): void {
    if (amount === 0) return;
    const counts = this.summary[kind];
    counts[outcome] += amount;
    // They come with their bugs.
    if (kind === 'comments') return;
    const done = counts.added + counts.changed + counts.unchanged;
    const total = kind === 'bugs' ? this.#digest.bugs : this.#catalogue[kind].length;
    this.#report({ kind, done, total });
  }
}
