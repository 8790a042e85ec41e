import { lambdaHandler } from '../../lib/http/handler.ts';
import { group } from './group.ts';
import { searchTags } from './search-tags.ts';
import { tagServices } from './services.ts';
import { updateTags } from './update-tags.ts';

export const handler = lambdaHandler(group.routes, { searchTags, updateTags }, tagServices(process.env));
