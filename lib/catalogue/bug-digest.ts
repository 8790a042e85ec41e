import type { CounterName } from '../dynamodb/keys.ts';
import { type MissingIds, missingIdCounter } from './assigned-ids-repository.ts';
import type { CatalogueBug, CatalogueSource } from './schema.ts';

/** What the rest of a catalogue, and each of its bugs, must know of all bugs. Its size does not grow with their texts. */
export interface BugDigest {
  bugs: number;
  comments: number;
  /** names that bugs refer to */
  products: Set<string>;
  groups: Set<string>;
  keywords: Set<string>;
  /** the bugs that a bug blocks and depends on, whichever of both says so: of bugs with ids */
  blocks: Map<number, Set<number>>;
  dependsOn: Map<number, Set<number>>;
  highestIds: Map<CounterName, number>;
  missing: MissingIds;
}

/** Reads all bugs of a catalogue once. */
export async function digestBugs(bugs: CatalogueSource['bugs']): Promise<BugDigest> {
  const counter = missingIdCounter();
  const digest: Omit<BugDigest, 'missing'> = {
    bugs: 0,
    comments: 0,
    products: new Set(),
    groups: new Set(),
    keywords: new Set(),
    blocks: new Map(),
    dependsOn: new Map(),
    highestIds: new Map(),
  };
  for await (const bug of bugs) {
    addBug(digest, bug);
    counter.add(bug);
  }
  return { ...digest, missing: counter.result() };
}

function addBug(digest: Omit<BugDigest, 'missing'>, bug: CatalogueBug): void {
  const { id, comments, attachments = [], flags = [], blocks = [], depends_on = [] } = bug;
  digest.bugs += 1;
  digest.comments += comments.length;
  digest.products.add(bug.product);
  for (const name of bug.groups ?? []) digest.groups.add(name);
  for (const name of bug.keywords ?? []) digest.keywords.add(name);
  const note = (counter: CounterName, given: { id?: number | undefined }[]) => {
    const highest = given.reduce((max, { id = 0 }) => Math.max(max, id), digest.highestIds.get(counter) ?? 0);
    digest.highestIds.set(counter, highest);
  };
  note('bug', [bug]);
  note('comment', comments);
  note('attachment', attachments);
  note('flag', [...flags, ...attachments.flatMap((one) => one.flags)]);
  if (id === undefined) return;
  for (const other of blocks) addDependency(digest, id, other);
  for (const other of depends_on) addDependency(digest, other, id);
}

function addDependency(
  { blocks, dependsOn }: Pick<BugDigest, 'blocks' | 'dependsOn'>,
  blocker: number,
  blocked: number,
): void {
  blocks.set(blocker, (blocks.get(blocker) ?? new Set()).add(blocked));
  dependsOn.set(blocked, (dependsOn.get(blocked) ?? new Set()).add(blocker));
}
