import { normalizeName } from '../text.ts';
import type { AddedComment, BugChange } from './changes.ts';
import type { BugItem } from './schema.ts';

/** A comment to be added, before it gets its id. */
type UnidentifiedComment = Omit<AddedComment, 'id'>;
type Privacy = BugChange['privacy'][number];

/** The two ends of a dependency. */
export const OTHER_END = { blocks: 'depends_on', depends_on: 'blocks' } as const;
export type DependencyField = keyof typeof OTHER_END;

/** Bugs while a request changes them: each as it was read, and as it is going to be. */
export class BugDrafts {
  readonly #before = new Map<number, BugItem>();
  readonly #after = new Map<number, BugItem>();
  readonly #comments = new Map<number, UnidentifiedComment[]>();
  readonly #privacy = new Map<number, Privacy[]>();

  constructor(bugs: Iterable<BugItem>) {
    this.add(bugs);
  }

  /** Adds bugs as they were read; known ones stay as they are. */
  add(bugs: Iterable<BugItem>): void {
    for (const bug of bugs) if (!this.#before.has(bug.id)) this.#before.set(bug.id, bug);
  }

  /** A bug as it is going to be; not read: undefined. */
  get(id: number): BugItem | undefined {
    return this.#after.get(id) ?? this.#before.get(id);
  }

  change(id: number, fields: Partial<BugItem>): void {
    const current = this.get(id);
    if (current !== undefined) this.#after.set(id, { ...current, ...fields });
  }

  comment(id: number, comment: UnidentifiedComment): void {
    this.#comments.set(id, [...(this.#comments.get(id) ?? []), comment]);
  }

  setPrivacy(id: number, privacy: Privacy[]): void {
    this.#privacy.set(id, privacy);
  }

  /**
   * Sets what a bug blocks or depends on, at both ends.
   *
   * @param bug may be one that does not exist yet: then the other ends are set
   */
  relate(bug: number, field: DependencyField, before: readonly number[], after: readonly number[]): void {
    this.change(bug, { [field]: sortedNumbers(after) });
    const end = OTHER_END[field];
    for (const id of after.filter((one) => !before.includes(one))) {
      this.change(id, { [end]: sortedNumbers([...(this.get(id)?.[end] ?? []), bug]) });
    }
    for (const id of before.filter((one) => !after.includes(one))) {
      this.change(id, { [end]: (this.get(id)?.[end] ?? []).filter((one) => one !== bug) });
    }
  }

  /** The bugs that change or get a comment: as they were, and as they are going to be. */
  drafts(): { before: BugItem; after: BugItem; comments: UnidentifiedComment[]; privacy: Privacy[] }[] {
    const ids = new Set([...this.#after.keys(), ...this.#comments.keys(), ...this.#privacy.keys()]);
    return [...ids].flatMap((id) => {
      const before = this.#before.get(id);
      if (before === undefined) return [];
      const after = this.#after.get(id) ?? before;
      const comments = this.#comments.get(id) ?? [];
      return [{ before, after, comments, privacy: this.#privacy.get(id) ?? [] }];
    });
  }
}

/** Numbers by value, each once. */
export const sortedNumbers = (numbers: readonly number[]): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);

/** Names without blank ones, each once in whatever case it is repeated. */
export function distinctNames(given: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const name of given.map((one) => one.trim())) {
    if (name !== '' && !names.has(normalizeName(name))) names.set(normalizeName(name), name);
  }
  return [...names.values()];
}

/** The id of a bug that a request names, by ids under normalized names. */
export const namedBug = (ids: ReadonlyMap<string, number>, name: string): number | undefined =>
  ids.get(normalizeName(name.trim()));

/** A list after some names are added and removed, in whatever case. */
export function changedNames(
  list: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  const removed = new Set(remove.map(normalizeName));
  return distinctNames([...list.filter((name) => !removed.has(normalizeName(name))), ...add]);
}
