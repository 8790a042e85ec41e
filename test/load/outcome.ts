import { Latencies } from './latencies.ts';
import type { Task } from './mix.ts';

const MOST_FAILURES_TOLD = 20;

/** What came of the requests of one stage. */
export class Outcome {
  /** of answers */
  perSecond = 0;
  readonly all = new Latencies();
  readonly byOperation = new Map<string, Latencies>();
  /** how many answers had which status */
  readonly statuses = new Map<number, number>();
  /** the first of the answers that are not of success, and of the requests without an answer */
  readonly failures: string[] = [];

  /** Notes an answer, and what it acknowledges. */
  answered(task: Task, status: number, body: string, milliseconds: number): void {
    const ofOperation = this.byOperation.get(task.operation) ?? new Latencies();
    this.byOperation.set(task.operation, ofOperation);
    ofOperation.add(milliseconds);
    this.all.add(milliseconds);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (!isAcknowledged(task, status, body)) {
      this.failed(`${task.method} ${task.path}: ${status} ${body.slice(0, 300)}`);
    }
  }

  failed(failure: string): void {
    if (this.failures.length < MOST_FAILURES_TOLD) this.failures.push(failure);
  }
}

/** Takes an answer for what it says; one that cannot be read acknowledges nothing. */
function isAcknowledged(task: Task, status: number, body: string): boolean {
  if (status < 200 || status >= 300) return false;
  try {
    task.acknowledged?.(body);
    return true;
  } catch {
    return false;
  }
}
