import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import {
  type EndpointGroupDescription,
  type ParameterText,
  parametersOf,
  responds,
} from '../../lib/openapi/documentation.ts';
import { createsOne } from '../../lib/openapi/shapes.ts';
import { MAX_NAME_LENGTH } from '../../lib/products/validation.ts';
import type { endpointGroup } from './endpoints.ts';
import {
  changed,
  changes,
  classification,
  flagTypes,
  group,
  visitExample,
  visits,
} from './openapi-responses.ts';
import {
  flagTypeQuery,
  flagTypeUpdate,
  groupQuery,
  groupUpdate,
  namedQuery,
  newComponent,
  newFlagType,
  newGroup,
  newUser,
  userUpdate,
  visitQuery,
} from './schemas.ts';

const flagTypeTexts = {
  name: { text: 'At most 50 characters, without white space and commas.', example: 'review' },
  description: { text: 'What it is for.', example: 'Somebody has to look at this' },
  cc_list: { text: 'Email addresses, separated by commas; kept for clients, since no mail is sent.' },
  sortkey: { text: 'From 0 to 32767. Default: 1.', type: z.int() },
  is_active: { text: 'Whether new flags can be set. Default: `true`.' },
  is_requestable: { text: 'Whether it can be `?`. Default: `true`.' },
  is_specifically_requestable: { text: 'Whether flags of it can have a requestee. Default: `true`.' },
  is_multiplicable: { text: 'Whether there can be several. Default: `true`.' },
  grant_group: { text: 'The group that may set `+` and `-`; empty: everyone.' },
  request_group: { text: 'The group that may set `?`; empty: everyone.' },
  inclusions: {
    text: 'Products, or objects of products with components: `["Observatory", {"Telescope": ["Mount"]}]`. Empty or absent in a new type: all products that the caller has access to.',
  },
  exclusions: { text: 'Likewise, where it is not available.' },
} satisfies Record<string, ParameterText>;

const flagTypeErrors = [
  errors.flagTypeNameInvalid('a b'),
  errors.flagTypeCcTooLong(200),
  errors.sortKeyInvalid('99999'),
  errors.emailInvalid('nonsense'),
  errors.groupUnknown('no-such-group'),
  errors.valueUnknown('component', 'Unknown'),
  errors.productAccessDenied('Unknown'),
  errors.requestTooLarge('at most 1000 products; use the catalogue'),
  errors.changedPartly(),
];

const idOrName = (what: string, example: string): Record<string, ParameterText> => ({
  id_or_name: { text: `The id or the name of ${what}.`, type: z.string(), example },
});
const further = (what: string) => ({
  ids: { text: `Ids of further ${what}.`, type: z.array(z.int()) },
  names: { text: `Names of further ${what}.` },
});
const tooMany = errors.requestTooLarge('at most 100 at once');
const notInteger = errors.parameterNotInteger('ids', 'abc');
const unknownParameter = errors.parameterUnknown('nonsense');

const groupTexts = {
  name: { text: 'At most 255 characters.', example: 'translators' },
  description: { text: 'What it is for.', example: 'Translators' },
  user_regexp: { text: 'A regular expression, kept without effect.' },
  is_active: { text: 'Kept without effect. Default of a new group: `false`.' },
  icon_url: { text: 'Ignored.' },
} satisfies Record<string, ParameterText>;
const groupErrors = [
  errors.groupDescriptionMissing(),
  errors.groupNameMissing(),
  errors.groupTaken('timetrackers'),
  errors.groupPatternInvalid('['),
];

const visiting = {
  path: { id: { text: 'The id of a bug.', type: z.int(), example: 1 } },
  parameters: parametersOf(visitQuery, { ids: { text: 'Ids of further bugs.', type: z.array(z.int()) } }),
  response: responds('The visits.', visits, visitExample),
};
const visitErrors = [errors.bugAliasUnknown('9999'), errors.bugAccessDenied('7'), notInteger, tooMany];

/** The OpenAPI documentation of the administrative operations. functions/administration/README.md. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Administration',
  text: 'Flag types, components, users, groups and classifications; last visits to bugs.',
  operations: {
    'GET /rest/flag_type/{id_or_name+}': {
      summary: 'Get flag types',
      text: 'The flag types of a product, inactive ones included, or of one of its components.',
      path: {
        id_or_name: {
          text: 'The name of a product, ignoring case; with `/` and the name of a component: only what is available there.',
          type: z.string(),
          example: 'Telescope',
        },
      },
      parameters: parametersOf(flagTypeQuery, {
        component: { text: 'The name of the component, where the path does not have one.' },
      }),
      response: responds('The flag types.', flagTypes, { bug: [], attachment: [] }),
      errors: [errors.productAccessDenied('Unknown'), errors.valueUnknown('component', 'Unknown')],
    },
    'POST /rest/flag_type': {
      summary: 'Create a flag type',
      text: 'Requires the group `editcomponents`. The flag type is added to the products that exist and that the caller has access to.',
      parameters: parametersOf(newFlagType, {
        ...flagTypeTexts,
        name: { ...flagTypeTexts.name, required: true },
        description: { ...flagTypeTexts.description, required: true },
        target_type: {
          text: 'What it is set on. Default: `bug`.',
          type: z.enum(['bug', 'attachment']),
          example: 'bug',
        },
      }),
      response: createsOne('flag type', 4),
      errors: [errors.parameterMissing('name'), ...flagTypeErrors],
    },
    'PUT /rest/flag_type/{id_or_name+}': {
      summary: 'Update flag types',
      text: 'Requires the group `editcomponents`. A name stands for all flag types that have it, an unknown one for none. Flags follow: they have the new name, and are gone where their type is not available any more. A type that only products without access for the caller have is unknown. Unknown parameters are an error.',
      path: idOrName('a flag type', 'needinfo'),
      parameters: parametersOf(flagTypeUpdate, { ...further('flag types'), ...flagTypeTexts }),
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
    'POST /rest/component': {
      summary: 'Create a component',
      text: 'Requires the group `editcomponents`. Unknown parameters are an error.',
      parameters: parametersOf(newComponent, {
        product: { text: 'The name of the product.', required: true, example: 'Telescope' },
        name: {
          text: `At most ${MAX_NAME_LENGTH} characters, unique in the product ignoring case.`,
          required: true,
          example: 'Mirror',
        },
        description: { text: 'What it is.', required: true, example: 'The primary mirror' },
        default_assignee: { text: 'A login.', required: true, example: 'dev@bugless.example' },
        default_qa_contact: { text: 'A login.' },
        default_cc: { text: 'Logins that new bugs have on CC.' },
        is_open: { text: 'Whether bugs may be entered. Default: `true`.' },
        isactive: { text: 'Another name of `is_open`, which takes precedence.' },
      }),
      response: createsOne('component', 9),
      errors: [
        unknownParameter,
        errors.parameterMissing('product'),
        errors.productAccessDenied('Unknown'),
        errors.componentDescriptionMissing(),
        errors.componentAssigneeMissing(),
        errors.userUnknown('unknown@bugless.example'),
        errors.ccUnknown('unknown@bugless.example'),
        errors.componentNameMissing(),
        errors.componentNameTooLong(MAX_NAME_LENGTH),
        errors.componentTaken('Mount'),
        errors.requestTooLarge('at most 100 users on the default CC'),
      ],
    },
    'POST /rest/user': {
      summary: 'Create a user',
      text: 'Requires the group `editusers`. The user has no API key: the operator adds one with `npm run admin`.',
      parameters: parametersOf(newUser, {
        email: { text: 'The login, an email address.', required: true, example: 'new@bugless.example' },
        full_name: { text: 'At most 255 characters.', example: 'Nina New' },
        password: { text: 'At least 6 characters; checked, but not stored: there are no passwords.' },
      }),
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
      parameters: parametersOf(userUpdate, {
        ...further('users'),
        email: { text: 'Logins stand in bugs, so another one is an error.' },
        full_name: { text: 'At most 255 characters.', example: 'Dev Developer' },
        password: { text: 'At least 6 characters; checked, but not stored: there are no passwords.' },
        email_enabled: { text: 'Kept without effect: no mail is sent.' },
        login_denied_text: { text: 'Why the account is disabled; empty: it is not.' },
        groups: { text: 'Groups to `add` and to `remove`, or all (`set`).' },
        bless_groups: { text: 'Likewise the groups that the user may grant; kept without effect.' },
      }),
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
      parameters: parametersOf(groupQuery, {
        ids: { text: 'Ids of groups.', type: z.array(z.int()), example: [1] },
        names: { text: 'Names of groups, ignoring case.', example: ['timetrackers'] },
        membership: { text: 'Whether to list the members.' },
      }),
      response: responds('The groups.', z.object({ groups: z.array(group) }), {
        groups: [{ id: 1, name: 'timetrackers', description: 'Time tracking' }],
      }),
      errors: [errors.groupsHidden(), errors.groupUnknown('no-such-group'), notInteger, tooMany],
    },
    'POST /rest/group': {
      summary: 'Create a group',
      text: 'Requires the group `creategroups`.',
      parameters: parametersOf(newGroup, {
        ...groupTexts,
        name: { ...groupTexts.name, required: true },
        description: { ...groupTexts.description, required: true },
      }),
      response: createsOne('group', 5),
      errors: groupErrors,
    },
    'PUT /rest/group/{id_or_name+}': {
      summary: 'Update groups',
      text: 'Requires the group `creategroups`. Names of groups stand in bugs, so another one is an error. Unknown parameters are an error.',
      path: idOrName('a group', 'timetrackers'),
      parameters: parametersOf(groupUpdate, {
        ...further('groups'),
        ...groupTexts,
        name: { text: 'Another name is an error.' },
      }),
      response: responds('The groups were updated.', z.object({ groups: changed }), {
        groups: [{ id: 1, changes: { description: { removed: 'Time tracking', added: 'Hours' } } }],
      }),
      errors: [unknownParameter, notInteger, tooMany, errors.groupUnknown('no-such-group'), ...groupErrors],
    },
    'GET /rest/classification/{id_or_name+}': {
      summary: 'Get classifications',
      text: 'The classification of the path, and others that the query selects, as far as the caller may select a product of them.',
      path: idOrName('a classification', 'Unclassified'),
      parameters: parametersOf(namedQuery, further('classifications')),
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
      ...visiting,
      summary: 'Report a visit',
      text: 'Stores that the caller, who is the reporter, assignee or QA contact or on CC, visits the bugs.',
      errors: [...visitErrors, errors.userNotInvolved(1)],
    },
    'GET /rest/last_audit_time': {
      summary: 'Time of the last audit entry',
      text: 'Always null: Bugless keeps no audit log.',
      response: responds('No time.', z.object({ last_audit_time: z.null() }), { last_audit_time: null }),
      errors: [],
    },
  },
};
