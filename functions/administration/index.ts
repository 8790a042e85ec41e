import { lambdaHandler } from '../../lib/http/handler.ts';
import { createKeyword, listKeywords, updateKeyword } from '../bugs/keywords.ts';
import { getVisits, visitBugs } from '../bugs/last-visits.ts';
import { createFlagType } from '../flags/create-flag-type.ts';
import { getFlagTypes } from '../flags/get-flag-types.ts';
import { updateFlagTypes } from '../flags/update-flag-types.ts';
import { createComponent } from '../products/create-component.ts';
import { getClassifications } from '../products/get-classifications.ts';
import { getGroupControls, updateGroupControls } from '../products/group-controls.ts';
import { createRelease, updateRelease } from '../products/releases.ts';
import { updateComponent } from '../products/update-component.ts';
import { createGroup } from '../users/create-group.ts';
import { createUser } from '../users/create-user.ts';
import { getGroups } from '../users/get-groups.ts';
import { updateGroups } from '../users/update-groups.ts';
import { updateUsers } from '../users/update-users.ts';
import { endpointGroup } from './endpoints.ts';
import { getAudit } from './get-audit.ts';
import { lastAuditTime } from './last-audit-time.ts';
import { administrationServices } from './services.ts';

const endpoints = {
  getFlagTypes,
  createFlagType,
  updateFlagTypes,
  createComponent,
  updateComponent,
  createVersion: createRelease('version'),
  updateVersion: updateRelease('version'),
  createMilestone: createRelease('milestone'),
  updateMilestone: updateRelease('milestone'),
  getGroupControls,
  updateGroupControls,
  listKeywords,
  createKeyword,
  updateKeyword,
  createUser,
  updateUsers,
  getGroups,
  createGroup,
  updateGroups,
  getClassifications,
  getVisits,
  visitBugs,
  lastAuditTime,
  getAudit,
};

export const handler = lambdaHandler(endpointGroup.routes, endpoints, administrationServices(process.env));
