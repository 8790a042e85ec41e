/** Kinds of data that are here otherwise than in the source, or not at all. */
const KINDS = [
  'bugs left out',
  'bugs that Bugzilla shows to nobody, and only administrators see here',
  'bugs with changed texts',
  'bugs with changed comments',
  'attachments left out',
  'attachments changed',
  'flags left out',
  'history left out',
  'other parts of bugs left out',
  'users with changed logins',
  'users, groups and products that are gone, with stand-ins',
  'parts of users left out',
  'groups whose expression is not read here: their members stay as they are',
  'parts of products left out',
  'fields, values and keywords left out',
  'preferences that are finer there',
  'rows without what they belong to',
  'times that the clock skipped',
] as const;
export type ProblemKind = (typeof KINDS)[number];

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

  add(kind: ProblemKind, where: string, why: string): void {
    const all = this.#byKind.get(kind) ?? { kind, count: 0, problems: [] };
    all.count += 1;
    if (all.problems.length < MAX_PROBLEMS) all.problems.push({ kind, where, why });
    this.#byKind.set(kind, all);
  }

  /** By kind: their number, and the first MAX_PROBLEMS of them. */
  grouped(): { kind: ProblemKind; count: number; problems: Problem[] }[] {
    return KINDS.flatMap((kind) => this.#byKind.get(kind) ?? []);
  }
}
