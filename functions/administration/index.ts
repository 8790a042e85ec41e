import { lambdaHandler } from '../../lib/http/handler.ts';
import { MILESTONES, VERSIONS } from '../../lib/products/parts.ts';
import { createKeyword, listKeywords, updateKeyword } from '../bugs/keywords.ts';
import { getVisits, visitBugs } from '../bugs/last-visits.ts';
import { createFlagType, getFlagTypes, updateFlagTypes } from '../flags/flag-types.ts';
import { createComponent, updateComponent } from '../products/components.ts';
import { getClassifications } from '../products/get-classifications.ts';
import { getGroupControls, updateGroupControls } from '../products/group-controls.ts';
import { createRelease, updateRelease } from '../products/releases.ts';
import { createUser, updateUsers } from '../users/change-users.ts';
import { createGroup, getGroups, updateGroups } from '../users/groups.ts';
import { getAudit, lastAuditTime } from './audit.ts';
import { endpointGroup } from './endpoints.ts';
import { administrationServices } from './services.ts';

const endpoints = {
  getFlagTypes,
  createFlagType,
  updateFlagTypes,
  createComponent,
  updateComponent,
  createVersion: createRelease(VERSIONS),
  updateVersion: updateRelease(VERSIONS),
  createMilestone: createRelease(MILESTONES),
  updateMilestone: updateRelease(MILESTONES),
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
