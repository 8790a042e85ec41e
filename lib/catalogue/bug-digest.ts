import type { CounterName } from '../table/keys.ts';
import type { CatalogueBug, CatalogueSource } from './schema.ts';

/**
 * A summary of all bugs of a catalogue, for planning without having them in memory. Its size does not grow with their
 * texts.
 */
export type BugDigest = ReturnType<typeof emptyDigest>;

const emptyDigest = () => ({
  bugs: 0,
  /** names that bugs refer to */
  products: new Set<string>(),
  groups: new Set<string>(),
  keywords: new Set<string>(),
  /** the bugs that a bug blocks and depends on, whichever of both says so */
  blocks: new Map<number, Set<number>>(),
  dependsOn: new Map<number, Set<number>>(),
  highestIds: new Map<CounterName, number>(),
});

/** Reads all bugs of a catalogue once. */
export async function digestBugs(bugs: CatalogueSource['bugs']): Promise<BugDigest> {
  const digest = emptyDigest();
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
