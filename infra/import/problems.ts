/** The kind of bugs of which some comments are hidden. */
export const HIDDEN_COMMENTS = 'bugs with comments hidden from the API key';

/** The kind of users whom no import has brought. */
export const OTHER_STATE =
  'users of this table who are disabled or have mail off in Bugzilla, and stay as they are here';

/** The kind of users whose login belongs to somebody else in the Bugzilla now. */
export const OTHER_PERSON =
  'users whose login is of another person in Bugzilla now, and who stay as they are here';

/** The kind of bugs whose ids, or those of their comments, attachments or flags, belong to others here. */
export const COLLISIONS = 'bugs not copied because they collide with what this table has';

/** The kind of groups that are not what they are there. */
export const OTHER_NAME = 'groups with another name or id';

/** Kinds of data that were not copied, or not unchanged. */
export const problemKinds = [
  'products not copied',
  'bugs not copied',
  COLLISIONS,
  'parts of products and bugs not copied',
  'parts of products with another id',
  HIDDEN_COMMENTS,
  'bugs with changed texts',
  'bugs with changed comments',
  'bugs with changed attachments',
  OTHER_NAME,
  'products with inferred access',
  OTHER_STATE,
  OTHER_PERSON,
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
  readonly #byKind = new Map<ProblemKind, { kind: ProblemKind; count: number; problems: Problem[] }>();

  add(...problems: Problem[]): void {
    for (const problem of problems) {
      const { kind } = problem;
      const all = this.#byKind.get(kind) ?? { kind, count: 0, problems: [] };
      all.count += 1;
      if (all.problems.length < MAX_PROBLEMS) all.problems.push(problem);
      this.#byKind.set(kind, all);
    }
  }

  /** By kind: their number, and the first MAX_PROBLEMS of them. */
  grouped(): { kind: ProblemKind; count: number; problems: Problem[] }[] {
    return [...this.#byKind.values()];
  }
}
