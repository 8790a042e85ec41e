/** What can become of something that is not copied just as it is. */
export const findingKinds = [
  'products not copied',
  'bugs not copied',
  'parts of products and bugs not copied',
  'bugs with comments that the API key may not see',
  'bugs whose comments are not just as they were',
  'groups not known as in Bugzilla',
  'products whose access is guessed',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** Something that could not be copied, or not as it was. */
export interface Finding {
  kind: FindingKind;
  /** `bug 7`, `product 'Alpha'` */
  where: string;
  why: string;
}

/** Of each kind, so many are kept; the others are counted. */
const MAX_KEPT = 1_000;

/** Gathers what could not be copied. */
export class Findings {
  readonly #kept = new Map<FindingKind, Finding[]>();
  readonly #counts = new Map<FindingKind, number>();

  add(...findings: Finding[]): void {
    for (const finding of findings) {
      const kept = this.#kept.get(finding.kind) ?? [];
      this.#kept.set(finding.kind, kept);
      if (kept.length < MAX_KEPT) kept.push(finding);
      this.#counts.set(finding.kind, (this.#counts.get(finding.kind) ?? 0) + 1);
    }
  }

  /** By kind: how many there are, and the first thousand of them. */
  grouped(): { kind: FindingKind; count: number; findings: Finding[] }[] {
    return [...this.#kept].map(([kind, findings]) => ({
      kind,
      count: this.#counts.get(kind) ?? 0,
      findings,
    }));
  }
}
