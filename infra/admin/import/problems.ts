/** Kinds of data that were not copied, or not unchanged. */
export const problemKinds = [
  'products not copied',
  'bugs not copied',
  'parts of products and bugs not copied',
  'parts of products with another id',
  'bugs with comments hidden from the API key',
  'bugs with changed comments',
  'groups with another name or id',
  'products with inferred access',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

export interface Problem {
  kind: ProblemKind;
  /** `bug 7`, `product 'Alpha'` */
  where: string;
  why: string;
}

/** Kept per kind; further ones are only counted. */
const MAX_PROBLEMS = 1_000;

export class ProblemList {
  readonly #kept = new Map<ProblemKind, Problem[]>();
  readonly #counts = new Map<ProblemKind, number>();

  add(...problems: Problem[]): void {
    for (const problem of problems) {
      const kept = this.#kept.get(problem.kind) ?? [];
      this.#kept.set(problem.kind, kept);
      if (kept.length < MAX_PROBLEMS) kept.push(problem);
      this.#counts.set(problem.kind, (this.#counts.get(problem.kind) ?? 0) + 1);
    }
  }

  /** By kind: their number, and the first MAX_PROBLEMS of them. */
  grouped(): { kind: ProblemKind; count: number; problems: Problem[] }[] {
    return [...this.#kept].map(([kind, problems]) => ({
      kind,
      count: this.#counts.get(kind) ?? 0,
      problems,
    }));
  }
}
