/**
 * The statuses whose bugs the index keeps in segments of their own, which searches of other bugs do not read. They do not
 * follow the workflow, so that segments stay as they are when it changes, and for version 1.1.0: bugs of other closed
 * statuses are among the open ones.
 */
export const CLOSED_SEGMENTS: readonly string[] = ['RESOLVED', 'VERIFIED', 'CLOSED'];

/** Whether bugs of this status are in the segments of closed bugs. */
export const isInClosedSegment = (status: string): boolean => CLOSED_SEGMENTS.includes(status);
