import { inject } from 'vitest';

let ofFile: string | undefined;

/** The endpoint of the database that the tests use. */
export const dynamoDbEndpoint = (): string => ofFile ?? inject('dynamoDbEndpoint');

/** Uses another database for the tests of the current file. @returns a function that ends it */
export function useDatabase(endpoint: string): () => void {
  ofFile = endpoint;
  return () => {
    ofFile = undefined;
  };
}
