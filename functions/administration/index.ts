import { lambdaHandler } from '../../lib/http/handler.ts';
import { MILESTONES, VERSIONS } from '../../lib/products/parts.ts';
import * as keywords from '../bugs/keywords.ts';
import * as visits from '../bugs/last-visits.ts';
import * as flagTypes from '../flags/flag-types.ts';
import * as components from '../products/components.ts';
import { getClassifications } from '../products/get-classifications.ts';
import * as groupControls from '../products/group-controls.ts';
import { createRelease, updateRelease } from '../products/releases.ts';
import * as users from '../users/change-users.ts';
import * as groups from '../users/groups.ts';
import * as audit from './audit.ts';
import { endpointGroup } from './endpoints.ts';
import { administrationServices } from './services.ts';

const endpoints = {
  ...flagTypes,
  ...components,
  ...groupControls,
  ...keywords,
  ...users,
  ...groups,
  ...visits,
  ...audit,
  createVersion: createRelease(VERSIONS),
  updateVersion: updateRelease(VERSIONS),
  createMilestone: createRelease(MILESTONES),
  updateMilestone: updateRelease(MILESTONES),
  getClassifications,
};

export const handler = lambdaHandler(endpointGroup.routes, endpoints, administrationServices(process.env));
