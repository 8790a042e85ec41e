import { inject } from 'vitest';

/** The endpoint of the database that the tests use. */
export const dynamoDbEndpoint = (): string => inject('dynamoDbEndpoint');
