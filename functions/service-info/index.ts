import { lambdaHandler } from '../../lib/http/handler.ts';
import { endpointGroup } from './endpoints.ts';
import { getUsers } from './get-users.ts';
import { listWebhooks } from './list-webhooks.ts';
import { extensions, parameters, time, timezone, version } from './metadata.ts';
import { notFound } from './not-found.ts';
import { infoServices } from './services.ts';
import { login, logout, validLogin, whoami } from './sessions.ts';

const metadata = { version, extensions, time, timezone, parameters };
const endpoints = { ...metadata, login, logout, validLogin, whoami, listWebhooks, getUsers, notFound };

export const handler = lambdaHandler(endpointGroup.routes, endpoints, infoServices(process.env));
