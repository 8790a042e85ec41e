import { lambdaHandler } from '../../lib/http/handler.ts';
import { getVisits, visitBugs } from '../bugs/last-visits.ts';
import { createFlagType } from '../flags/create-flag-type.ts';
import { getFlagTypes } from '../flags/get-flag-types.ts';
import { updateFlagTypes } from '../flags/update-flag-types.ts';
import { createComponent } from '../products/create-component.ts';
import { getClassifications } from '../products/get-classifications.ts';
import { createGroup } from './create-group.ts';
import { createUser } from './create-user.ts';
import { endpointGroup } from './endpoints.ts';
import { getGroups } from './get-groups.ts';
import { lastAuditTime } from './last-audit-time.ts';
import { administrationServices } from './services.ts';
import { updateGroups } from './update-groups.ts';
import { updateUsers } from './update-users.ts';

const endpoints = {
  getFlagTypes,
  createFlagType,
  updateFlagTypes,
  createComponent,
  createUser,
  updateUsers,
  getGroups,
  createGroup,
  updateGroups,
  getClassifications,
  getVisits,
  visitBugs,
  lastAuditTime,
};

export const handler = lambdaHandler(endpointGroup.routes, endpoints, administrationServices(process.env));
