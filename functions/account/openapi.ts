import type { EndpointGroupDescription } from '../../lib/openapi/documentation.ts';
import type { endpointGroup } from './endpoints.ts';

/** Of these operations the OpenAPI document has nothing: they are for the pages alone. README.md describes them. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Account',
  text: 'Sign-in by mail, and the API keys of a user, for the pages.',
  operations: {},
};
