import { lambdaHandler } from '../../lib/http/handler.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
import { askForSignIn } from './ask-for-sign-in.ts';
import { endpointGroup } from './endpoints.ts';
import { getPreferences, updatePreferences } from './preferences.ts';
import {
  createSavedSearch,
  deleteSavedSearch,
  listSavedSearches,
  updateSavedSearch,
} from './saved-searches.ts';
import { accountServices } from './services.ts';
import { beginSession, endSession } from './sessions.ts';
import { askToUnsubscribe, unsubscribe } from './unsubscribe.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  {
    ...{ askForSignIn, beginSession, endSession, listApiKeys, createApiKey, revokeApiKey },
    ...{ listSavedSearches, createSavedSearch, updateSavedSearch, deleteSavedSearch },
    ...{ getPreferences, updatePreferences, unsubscribe, askToUnsubscribe },
  },
  accountServices(process.env),
);
