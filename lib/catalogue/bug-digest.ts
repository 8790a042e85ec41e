import type { CounterName } from '../table/keys.ts';
import type { CatalogueBug, CatalogueSource } from './schema.ts';

/**
 * A summary of all bugs of a catalogue, for planning without having them in memory. Its size does not grow with their
 * texts.
 */
export interface BugDigest {
  bugs: number;
  /** names that bugs refer to */
  products: Set<string>;
  groups: Set<string>;
  keywords: Set<string>;
  /** the bugs that a bug blocks and depends on, whichever of both says so */
  blocks: Map<number, Set<number>>;
  dependsOn: Map<number, Set<number>>;
  highestIds: Map<CounterName, number>;
}

/** Reads all bugs of a catalogue once. */
export async function digestBugs(bugs: CatalogueSource['bugs']): Promise<BugDigest> {
  const digest: BugDigest = {
    bugs: 0,
    products: new Set(),
    groups: new Set(),
    keywords: new Set(),
    blocks: new Map(),
    dependsOn: new Map(),
    highestIds: new Map(),
  };
  for await (const bug of bugs) addBug(digest, bug);
  return digest;
}

function addBug(digest: BugDigest, bug: CatalogueBug): void {
  const { id, comments, attachments = [], flags = [], blocks = [], depends_on = [] } = bug;
  digest.bugs += 1;
  digest.products.add(bug.product);
  for (const name of bug.groups ?? []) digest.groups.add(name);
  for (const name of bug.keywords ?? []) digest.keywords.add(name);
  const note = (counter: CounterName, given: readonly { id: number }[]) => {
    const highest = given.reduce((max, { id }) => Math.max(max, id), digest.highestIds.get(counter) ?? 0);
    digest.highestIds.set(counter, highest);
  };
  note('bug', [bug]);
  note('comment', comments);
  note('attachment', attachments);
  note('flag', [...flags, ...attachments.flatMap((one) => one.flags)]);
  for (const other of blocks) addDependency(digest, id, other);
  for (const other of depends_on) addDependency(digest, other, id);
}

function addDependency({ blocks, dependsOn }: BugDigest, blocker: number, blocked: number): void {
  blocks.set(blocker, (blocks.get(blocker) ?? new Set()).add(blocked));
  dependsOn.set(blocked, (dependsOn.get(blocked) ?? new Set()).add(blocker));
}
