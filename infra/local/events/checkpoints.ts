import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const stored = z.object({ arn: z.string(), shards: z.record(z.string(), z.string()) });

export type Checkpoints = ReturnType<typeof fileCheckpoints>;

/**
 * Keeps how far the stream of a table was read, so that what was written just before a stop is read after the next start.
 *
 * @param path of a file
 * @param arn of the stream; what the file has of another one is ignored
 */
export function fileCheckpoints(path: string, arn: string) {
  const known = read(path, arn);
  const shards = new Map(known);

  const save = () => writeFileSync(path, `${JSON.stringify({ arn, shards: Object.fromEntries(shards) })}\n`);

  return {
    /** Whether the stream was read before: then what it has of other shards is new. */
    isKnown: known !== undefined,
    /** The sequence number of the last record of a shard that was processed; none: undefined. */
    of: (shard: string): string | undefined => shards.get(shard),
    /** Notes that the stream is read from now on. */
    begin: save,
    /** Notes the last record that was processed. */
    set(shard: string, sequenceNumber: string): void {
      shards.set(shard, sequenceNumber);
      save();
    },
  };
}

function read(path: string, arn: string): [string, string][] | undefined {
  try {
    const { arn: of, shards } = stored.parse(JSON.parse(readFileSync(path, 'utf8')));
    return of === arn ? Object.entries(shards) : undefined;
  } catch {
    // It is absent, or was not written to its end.
    return undefined;
  }
}
