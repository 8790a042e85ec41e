import { infoServices } from '../../lib/composition.ts';
import { lambdaHandler } from '../../lib/http/chain.ts';
import { extensions, parameters, time, timezone, version } from './about.ts';
import { getUsers } from './get-users.ts';
import { otherwise } from './otherwise.ts';
import { routes } from './routes.ts';
import { login, logout, validLogin, whoami } from './sessions.ts';

const about = { version, extensions, time, timezone, parameters };
const endpoints = { ...about, login, logout, validLogin, whoami, getUsers, otherwise };

export const handler = lambdaHandler(routes, endpoints, infoServices(process.env));
