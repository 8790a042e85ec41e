import { lambdaHandler } from '../../lib/http/handler.ts';
import { routeGroup } from './group.ts';
import { searchTags } from './search-tags.ts';
import { tagServices } from './services.ts';
import { updateTags } from './update-tags.ts';

export const handler = lambdaHandler(routeGroup.routes, { searchTags, updateTags }, tagServices(process.env));
