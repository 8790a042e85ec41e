import { lambdaHandler } from '../../lib/http/handler.ts';
import * as apiKeys from './api-keys.ts';
import { askForSignIn } from './ask-for-sign-in.ts';
import { endpointGroup } from './endpoints.ts';
import * as preferences from './preferences.ts';
import * as savedSearches from './saved-searches.ts';
import { accountServices } from './services.ts';
import * as sessions from './sessions.ts';
import * as unsubscribing from './unsubscribe.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { ...apiKeys, ...preferences, ...savedSearches, ...sessions, ...unsubscribing, askForSignIn },
  accountServices(process.env),
);
