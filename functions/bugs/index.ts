import { lambdaHandler } from '../../lib/http/handler.ts';
import { createBug } from './create-bug.ts';
import { endpointGroup } from './endpoints.ts';
import { getBugs } from './get-bugs.ts';
import { getFields, getFieldValues } from './get-fields.ts';
import { getHistory } from './get-history.ts';
import { searchBugs } from './search-bugs.ts';
import { bugServices } from './services.ts';
import { updateBugs } from './update-bugs.ts';

const endpoints = {
  createBug,
  getBugs,
  getFieldValues,
  getFields,
  getHistory,
  searchBugs,
  updateBugs,
};

export const handler = lambdaHandler(endpointGroup.routes, endpoints, bugServices(process.env));
