import { infoServices } from '../../lib/composition.ts';
import { lambdaHandler } from '../../lib/http/chain.ts';
import { extensions, time, timezone, version } from './about.ts';
import { otherwise } from './otherwise.ts';
import { routes } from './routes.ts';

const endpoints = { version, extensions, time, timezone, otherwise };

export const handler = lambdaHandler(routes, endpoints, infoServices(process.env));
