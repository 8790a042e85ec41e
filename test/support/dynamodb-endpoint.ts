import { inject } from 'vitest';
import { afterFile } from './after-file.ts';

let ofFile: string | undefined;

/** The endpoint of the database that the tests use. */
export const dynamoDbEndpoint = (): string => ofFile ?? inject('dynamoDbEndpoint');

/** Uses another database for the tests of the current file. */
export function useDatabase(endpoint: string): void {
  ofFile = endpoint;
  afterFile(() => {
    ofFile = undefined;
  });
}
