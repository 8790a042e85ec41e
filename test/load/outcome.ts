import { Latencies } from './latencies.ts';
import type { Task } from './mix.ts';

const MAX_FAILURES = 20;

/** The responses of one stage. */
export class Outcome {
  /** responses per second */
  perSecond = 0;
  readonly all = new Latencies();
  readonly byOperation = new Map<string, Latencies>();
  /** number of responses by status */
  readonly statuses = new Map<number, number>();
  /** the first errors, and requests without a response */
  readonly failures: string[] = [];

  /** Records a response, and what it acknowledges. */
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
    if (this.failures.length < MAX_FAILURES) this.failures.push(failure);
  }
}

/** Passes a successful response to its task; one that cannot be parsed acknowledges nothing. */
function isAcknowledged(task: Task, status: number, body: string): boolean {
  if (status < 200 || status >= 300) return false;
  try {
    task.acknowledged?.(body);
    return true;
  } catch {
    return false;
  }
}
