const MB = 1_000_000;
/** For caches and compiled code; in ten minutes at 200 requests/s this is 50 bytes per request. */
const MAX_HEAP_GROWTH = 6 * MB;
/** With fewer requests, first executions of code take more memory than a leak. */
const MIN_REQUESTS = 2_000;

/**
 * Detects memory leaks: the used heap must not grow under steady load.
 *
 * @param requests number of responses
 * @param before used heap and buffers in bytes after garbage collection
 * @param after the same, at the end
 */
export function memoryProblems(requests: number, before: number, after: number): string[] {
  console.log(`\nHeap after garbage collection: ${inMB(before)} MB before, ${inMB(after)} MB after`);
  if (requests < MIN_REQUESTS || after <= before + MAX_HEAP_GROWTH) return [];
  return [`The heap after garbage collection grew from ${inMB(before)} to ${inMB(after)} MB`];
}

const inMB = (bytes: number): string => (bytes / MB).toFixed(1);
