import * as z from 'zod/mini';
import { answers, type GroupText } from '../../lib/openapi/documentation.ts';
import type { routes } from './routes.ts';

/** What the OpenAPI document says of itself. */
export const text: GroupText<typeof routes> = {
  title: 'Documentation',
  text: 'This document. The address `/` shows it as a page.',
  operations: {
    'GET /rest/openapi.json': {
      summary: 'This document',
      text: 'OpenAPI 3.1, of just the operations that this installation has.',
      answer: answers('The document.', z.looseObject({ openapi: z.string() }), { openapi: '3.1.0' }),
      errors: [],
    },
  },
};
