import * as z from 'zod/mini';
import { type EndpointGroupDescription, responds } from '../../lib/http/openapi/documentation.ts';
import type { endpointGroup } from './endpoints.ts';

/** The documentation of the OpenAPI document itself. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Documentation',
  text: 'The OpenAPI document. The page at `/api` shows it.',
  operations: {
    'GET /rest/openapi.json': {
      summary: 'This document',
      text: 'OpenAPI 3.1, with the operations of this installation.',
      response: responds('The document.', z.looseObject({ openapi: z.string() }), { openapi: '3.1.0' }),
      errors: [],
    },
  },
};
