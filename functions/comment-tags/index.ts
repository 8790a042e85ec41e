import { lambdaHandler } from '../../lib/http/handler.ts';
import { tagServices } from '../../lib/services.ts';
import { routeGroup } from './group.ts';
import { searchTags } from './search-tags.ts';
import { updateTags } from './update-tags.ts';

export const handler = lambdaHandler(routeGroup.routes, { searchTags, updateTags }, tagServices(process.env));
