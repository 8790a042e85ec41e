import { lambdaHandler } from '../../lib/http/handler.ts';
import { getUsers } from '../users/get-users.ts';
import { login, logout, validLogin, whoami } from '../users/login.ts';
import { endpointGroup } from './endpoints.ts';
import { listWebhooks } from './list-webhooks.ts';
import { extensions, parameters, time, timezone, version } from './metadata.ts';
import { notFound } from './not-found.ts';
import { infoServices } from './services.ts';

const metadata = { version, extensions, time, timezone, parameters };
const endpoints = { ...metadata, login, logout, validLogin, whoami, listWebhooks, getUsers, notFound };

export const handler = lambdaHandler(endpointGroup.routes, endpoints, infoServices(process.env));
