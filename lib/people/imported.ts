import { IMPORTED, IMPORTED_UNMAILED, type UserItem } from './schema.ts';

// Imports before 1.3.0 disabled users until the first API key: these users are still in tables.

/** Whether a user was imported and waits for an API key, rather than being disabled. */
export const awaitsKey = (disabled: string | undefined): boolean =>
  disabled === IMPORTED || disabled === IMPORTED_UNMAILED;

/**
 * Whether a user may sign in by mail: enabled ones, and those who are disabled only because they were imported, not those whose
 * state the import could not ask.
 *
 * @returns the reason why not; undefined: the user may
 */
export const signInProblem = ({ disabled }: UserItem, allowsImported: boolean): string | undefined =>
  disabled === IMPORTED && allowsImported ? undefined : disabled;
