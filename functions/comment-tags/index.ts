import { tagServices } from '../../lib/composition.ts';
import { lambdaHandler } from '../../lib/http/chain.ts';
import { routes } from './routes.ts';
import { searchTags } from './search-tags.ts';
import { updateTags } from './update-tags.ts';

export const handler = lambdaHandler(routes, { searchTags, updateTags }, tagServices(process.env));
