import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Runs the work of a request, which has an id: what it writes into the change log has it, too. */
export function withRequestId<T>(id: string, work: () => T): T {
  return current.run(id, work);
}

/** The id of the current request; outside of a request: undefined. */
export const currentRequestId = (): string | undefined => current.getStore();
