import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Parses an id in canonical form: decimal digits without leading zeros. functions/README.md 4 (`ids` that match nothing).
 *
 * @returns undefined for any other text, which matches no id
 */
export function plainId(given: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(given) ? Number(given) : undefined;
}

/** Elements in their order, those with the same id once. */
export const distinctById = <T extends { id: number }>(all: readonly T[]): T[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
];

/** Whether a text consists of digits: then it is an id, not a name or alias. functions/README.md 4, 5. */
export function isAllDigits(given: string): boolean {
  return /^\d+$/.test(given);
}

/** Numbers by value, each once. */
export const sortedNumbers = (numbers: readonly number[]): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);

/** How a request names a thing: by an id in digits, or by a name, which may have digits only. */
export interface Named {
  given: string;
  byId: boolean;
}

const requestId = new AsyncLocalStorage<string>();

/** Runs the work of a request, which has an id: what it writes into the change log has it, too. */
export function withRequestId<T>(id: string, work: () => T): T {
  return requestId.run(id, work);
}

/** The id of the current request; outside of a request: undefined. */
export const currentRequestId = (): string | undefined => requestId.getStore();
