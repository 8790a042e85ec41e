import { lambdaHandler } from '../../lib/http/handler.ts';
import { getBugPage } from './bug-page.ts';
import { bugXml } from './bug-xml.ts';
import { createBug } from './create-bug.ts';
import { endpointGroup } from './endpoints.ts';
import { getActivity } from './get-activity.ts';
import { getBugs } from './get-bugs.ts';
import { getConfiguration } from './get-configuration.ts';
import { getFields, getFieldValues } from './get-fields.ts';
import { getHistory } from './get-history.ts';
import { getRequests, requestsCsv } from './get-requests.ts';
import { listAtom, listCsv, listHtml } from './list-formats.ts';
import { possibleDuplicates } from './possible-duplicates.ts';
import { searchBugs } from './search-bugs.ts';
import { bugServices } from './services.ts';
import { updateBugs } from './update-bugs.ts';

const endpoints = {
  bugXml,
  createBug,
  getActivity,
  getBugPage,
  getBugs,
  getFieldValues,
  getConfiguration,
  getFields,
  getHistory,
  getRequests,
  listAtom,
  listCsv,
  listHtml,
  possibleDuplicates,
  requestsCsv,
  searchBugs,
  updateBugs,
};

export const handler = lambdaHandler(endpointGroup.routes, endpoints, bugServices(process.env));
