import { lambdaHandler } from '../../lib/http/handler.ts';
import { endpointGroup } from './endpoints.ts';
import { tagServices } from './services.ts';
import { searchTags, updateTags } from './tags.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { searchTags, updateTags },
  tagServices(process.env),
);
