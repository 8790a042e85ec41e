import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import {
  createsOne,
  type EndpointGroupDescription,
  inPath,
  responds,
} from '../../lib/http/openapi/documentation.ts';
import { auditQuery } from '../../lib/people/audit/requests.ts';
import { groupQuery, groupUpdate, newGroup, newUser, userUpdate } from '../../lib/people/requests.ts';
import { flagTypeQuery, flagTypeUpdate, newFlagType } from '../../lib/products/flag-types/requests.ts';
import { classificationQuery } from '../../lib/products/requests.ts';
import { MAX_FLAG_TYPE_NAME_LENGTH } from '../../lib/products/schema.ts';
import { visitQuery } from '../bugs/last-visits.ts';
import type { endpointGroup } from './endpoints.ts';
import { partOperations } from './openapi-parts.ts';
import {
  auditExample,
  auditPage,
  changed,
  changes,
  classification,
  flagTypes,
  group,
  visitExample,
  visits,
} from './openapi-responses.ts';

const flagTypeErrors = [
  errors.flagTypeNameInvalid('a b', MAX_FLAG_TYPE_NAME_LENGTH),
  errors.flagTypeCcTooLong(200),
  errors.sortKeyInvalid('99999'),
  errors.emailInvalid('nonsense'),
  errors.groupUnknown('no-such-group'),
  errors.valueUnknown('component', 'Unknown'),
  errors.productAccessDenied('Unknown'),
  errors.requestTooLarge('at most 1000 products; use the catalogue'),
  errors.changedPartly(),
];

const idOrName = (what: string, example: string) => ({
  id_or_name: inPath(`The id or the name of ${what}.`, example),
});
const tooMany = errors.requestTooLarge('at most 100 at once');
const notInteger = errors.parameterNotInteger('ids', 'abc');
const unknownParameter = errors.parameterUnknown('nonsense');

const groupErrors = [
  errors.groupDescriptionMissing(),
  errors.groupNameMissing(),
  errors.groupTaken('timetrackers'),
  errors.groupPatternInvalid('['),
];

const visiting = {
  path: { id: inPath('The id of a bug.', 1) },
  parameters: visitQuery,
  response: responds('The visits.', visits, visitExample),
};
const visitErrors = [errors.bugAliasUnknown('9999'), errors.bugAccessDenied('7'), notInteger, tooMany];

/** The OpenAPI documentation of the administrative operations. functions/administration/README.md. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Administration',
  text: 'Flag types, components, versions, milestones, keywords, users, groups and classifications; last visits to bugs; the audit log.',
  operations: {
    'GET /rest/flag_type/{id_or_name+}': {
      summary: 'Get flag types',
      text: 'The flag types of a product, inactive ones included, or of one of its components.',
      path: {
        id_or_name: inPath(
          'The name of a product, ignoring case; with `/` and the name of a component: only what is available there.',
          'Telescope',
        ),
      },
      parameters: flagTypeQuery,
      response: responds('The flag types.', flagTypes, { bug: [], attachment: [] }),
      errors: [errors.productAccessDenied('Unknown'), errors.valueUnknown('component', 'Unknown')],
    },
    'POST /rest/flag_type': {
      summary: 'Create a flag type',
      text: 'Requires the group `editcomponents`. The flag type is added to the products that exist and that the caller has access to.',
      parameters: newFlagType,
      response: createsOne('flag type', 4),
      errors: [errors.parameterMissing('name'), ...flagTypeErrors],
    },
    'PUT /rest/flag_type/{id_or_name+}': {
      summary: 'Update flag types',
      text: 'Requires the group `editcomponents`. A name stands for all flag types that have it, an unknown one for none. Flags follow: they have the new name, and are gone where their type is not available any more. A type that only products without access for the caller have is unknown. Unknown parameters are an error.',
      path: idOrName('a flag type', 'needinfo'),
      parameters: flagTypeUpdate,
      response: responds(
        'The flag types were updated.',
        z.object({ flagtypes: z.array(z.object({ id: z.int(), name: z.string(), changes })) }),
        { flagtypes: [{ id: 1, name: 'needinfo', changes: { sortkey: { removed: '1', added: '2' } } }] },
      ),
      errors: [
        unknownParameter,
        notInteger,
        errors.flagTypeUnknown('999'),
        errors.flagTypeDescriptionMissing(),
        errors.flagTypeNotEditable(1),
        ...flagTypeErrors,
      ],
    },
    ...partOperations,
    'POST /rest/user': {
      summary: 'Create a user',
      text: 'Requires the group `editusers`. The user has no API key: the operator adds one with `npm run admin`.',
      parameters: newUser,
      response: createsOne('user', 12),
      errors: [
        errors.notAuthorized('editusers', 'create users'),
        errors.parameterMissing('email'),
        errors.passwordTooShort(6),
        errors.emailInvalid('nonsense'),
        errors.loginTaken('dev@bugless.example'),
      ],
    },
    'PUT /rest/user/{id_or_name}': {
      summary: 'Update users',
      text: 'Requires the group `editusers`. Unknown parameters are an error.',
      path: idOrName('a user', 'dev@bugless.example'),
      parameters: userUpdate,
      response: responds('The users were updated.', z.object({ users: changed }), {
        users: [{ id: 2, changes: { groups: { removed: '', added: 'timetrackers' } } }],
      }),
      errors: [
        unknownParameter,
        notInteger,
        tooMany,
        errors.userMissing('999'),
        errors.userUnknown('unknown@bugless.example'),
        errors.groupNotGrantable('no-such-group'),
        errors.loginTaken('editor@bugless.example'),
        errors.emailInvalid('nonsense'),
        errors.passwordTooShort(6),
      ],
    },
    'GET /rest/group': {
      summary: 'Get groups',
      text: 'Requires the group `editusers` or `creategroups`. Without ids and names: all groups. Unknown ids are left out.',
      parameters: groupQuery,
      response: responds('The groups.', z.object({ groups: z.array(group) }), {
        groups: [{ id: 1, name: 'timetrackers', description: 'Time tracking' }],
      }),
      errors: [errors.groupsHidden(), errors.groupUnknown('no-such-group'), notInteger, tooMany],
    },
    'POST /rest/group': {
      summary: 'Create a group',
      text: 'Requires the group `creategroups`.',
      parameters: newGroup,
      response: createsOne('group', 5),
      errors: groupErrors,
    },
    'PUT /rest/group/{id_or_name+}': {
      summary: 'Update groups',
      text: 'Requires the group `creategroups`. Names of groups stand in bugs, so another one is an error. Unknown parameters are an error.',
      path: idOrName('a group', 'timetrackers'),
      parameters: groupUpdate,
      response: responds('The groups were updated.', z.object({ groups: changed }), {
        groups: [{ id: 1, changes: { description: { removed: 'Time tracking', added: 'Hours' } } }],
      }),
      errors: [unknownParameter, notInteger, tooMany, errors.groupUnknown('no-such-group'), ...groupErrors],
    },
    'GET /rest/classification/{id_or_name+}': {
      summary: 'Get classifications',
      text: 'The classification of the path, and others that the query selects, as far as the caller may select a product of them.',
      path: idOrName('a classification', 'Unclassified'),
      parameters: classificationQuery,
      selectsFields: true,
      response: responds('The classifications.', z.object({ classifications: z.array(classification) }), {
        classifications: [
          {
            id: 1,
            name: 'Unclassified',
            description: '',
            sort_key: 0,
            products: [{ id: 1, name: 'Telescope', description: 'Finds things' }],
          },
        ],
      }),
      errors: [errors.classificationUnknown('Rockets'), notInteger, tooMany],
    },
    'GET /rest/bug_user_last_visit/{id}': {
      ...visiting,
      summary: 'Get last visits',
      text: 'When the caller last visited the bugs, as clients reported it; bugs without a visit are left out.',
      errors: visitErrors,
    },
    'POST /rest/bug_user_last_visit/{id}': {
      isRepeatable: true,
      ...visiting,
      summary: 'Report a visit',
      text: 'Stores that the caller, who is the reporter, assignee or QA contact or on CC, visits the bugs.',
      errors: [...visitErrors, errors.userNotInvolved(1)],
    },
    'GET /rest/last_audit_time': {
      summary: 'Time of the last audit entry',
      text: 'Always null: the audit log is read by `GET /rest/bugless/audit`.',
      response: responds('No time.', z.object({ last_audit_time: z.null() }), { last_audit_time: null }),
      errors: [],
    },
    'GET /rest/bugless/audit': {
      summary: 'Get the audit log',
      text: 'Requires the group `admin`. What was administered over REST and by commands in the last 400 days, newest first. A request looks at no more than 2,000 entries: while there may be older ones, the response has `next`.',
      parameters: auditQuery,
      response: responds('The entries.', auditPage, auditExample),
      errors: [
        errors.parameterInvalid('before', 'it is not `next` of a response'),
        errors.parameterNotInteger('limit', 'abc'),
      ],
    },
  },
};
