const MB = 1_000_000;
const THIRDS = 3;
/**
 * Node gives back memory when it likes to, and makes its heap larger before it collects garbage; so all that the
 * process has is a coarse measure, which shows what the heap does not.
 */
const MOST_GROWTH = { share: 0.25, bytes: 64 * MB };
/** What caches and compiled code may still take; ten minutes at 200 requests a second make it 50 bytes a request. */
const MOST_HEAP_GROWTH = 6 * MB;
/** Before that, code that runs for the first time takes more than any leak. */
const ENOUGH_REQUESTS = 2_000;

/** What a process had while the load was steady. */
export interface Memory {
  /** that were answered meanwhile */
  requests: number;
  /** bytes, at equal distances in time */
  samples: number[];
  /** bytes of its heap that it still needed at the beginning and at the end, all garbage being collected */
  heap: { before: number; after: number };
}

/**
 * What is wrong with it: all that the process has must not be much larger in the last third of the time than in
 * the first, and what it cannot do without must stay the same. Few requests say nothing of either.
 */
export function memoryProblems({ requests, samples, heap }: Memory): string[] {
  if (requests < ENOUGH_REQUESTS) return [];
  const [first, last] = [medianOf(samples, 0), medianOf(samples, THIRDS - 1)];
  const problems: string[] = [];
  if (last > first * (1 + MOST_GROWTH.share) + MOST_GROWTH.bytes) {
    problems.push(`The process grew from ${inMB(first)} to ${inMB(last)} MB under steady load`);
  }
  if (heap.after > heap.before + MOST_HEAP_GROWTH) {
    problems.push(
      `Its heap, without garbage, grew from ${inMB(heap.before)} to ${inMB(heap.after)} MB under steady load`,
    );
  }
  return problems;
}

/** Of one of the thirds of the time. */
function medianOf(samples: number[], third: number): number {
  const size = Math.ceil(samples.length / THIRDS);
  const sorted = samples.slice(third * size, (third + 1) * size).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export const inMB = (bytes: number): string => (bytes / MB).toFixed(1);
