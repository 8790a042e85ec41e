import { lambdaHandler } from '../../lib/http/handler.ts';
import { endpointGroup } from './endpoints.ts';
import { searchTags } from './search-tags.ts';
import { tagServices } from './services.ts';
import { updateTags } from './update-tags.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { searchTags, updateTags },
  tagServices(process.env),
);
