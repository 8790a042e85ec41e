const MB = 1_000_000;
const THIRDS = 3;
/**
 * The resident memory is a coarse measure, because Node enlarges the heap before it collects garbage and releases memory
 * late. But it includes memory outside the heap.
 */
const MAX_GROWTH = { share: 0.25, bytes: 64 * MB };
/** For caches and compiled code; in ten minutes at 200 requests/s this is 50 bytes per request. */
const MAX_HEAP_GROWTH = 6 * MB;
/** With fewer requests, first executions of code take more memory than a leak. */
const MIN_REQUESTS = 2_000;

/** Memory of a process under steady load. */
export interface Memory {
  /** number of responses */
  requests: number;
  /** resident memory in bytes, at equal intervals */
  samples: number[];
  /** used heap in bytes after garbage collection, before and after the stage */
  heap: { before: number; after: number };
}

/**
 * Detects memory leaks: resident memory must not be much larger in the last third of the stage than in the first, and
 * the used heap must not grow. Requires a minimum number of requests.
 */
export function memoryProblems({ requests, samples, heap }: Memory): string[] {
  if (requests < MIN_REQUESTS) return [];
  const [first, last] = [medianOf(samples, 0), medianOf(samples, THIRDS - 1)];
  const problems: string[] = [];
  if (last > first * (1 + MAX_GROWTH.share) + MAX_GROWTH.bytes) {
    problems.push(`The process grew from ${inMB(first)} to ${inMB(last)} MB under steady load`);
  }
  if (heap.after > heap.before + MAX_HEAP_GROWTH) {
    problems.push(
      `The heap after garbage collection grew from ${inMB(heap.before)} to ${inMB(heap.after)} MB under steady load`,
    );
  }
  return problems;
}

/** The median of one third of the samples. */
function medianOf(samples: number[], third: number): number {
  const size = Math.ceil(samples.length / THIRDS);
  const sorted = samples.slice(third * size, (third + 1) * size).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export const inMB = (bytes: number): string => (bytes / MB).toFixed(1);
