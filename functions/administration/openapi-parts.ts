import * as z from 'zod/mini';
import { MAX_NAME_LENGTH } from '../../lib/base/names.ts';
import { errors } from '../../lib/errors.ts';
import {
  createsOne,
  describe,
  inPath,
  NAMED,
  type OperationText,
  responds,
  schemaRef,
} from '../../lib/http/openapi/documentation.ts';
import {
  componentUpdate,
  groupControlsUpdate,
  newComponent,
  newRelease,
  releaseUpdate,
} from '../../lib/products/requests.ts';
import { CONTROLS } from '../../lib/products/schema.ts';
import { keywordUpdate, newKeyword } from '../bugs/keywords.ts';

const unknownParameter = errors.parameterUnknown('nonsense');
const sortKeyInvalid = errors.parameterInvalid('sort_key', 'it must be a number from 0 to 99999');
const unknownProduct = errors.productAccessDenied('Unknown');

const componentErrors = [
  unknownParameter,
  errors.parameterMissing('product'),
  unknownProduct,
  errors.componentDescriptionMissing(),
  errors.componentAssigneeMissing(),
  errors.userUnknown('unknown@bugless.example'),
  errors.ccUnknown('unknown@bugless.example'),
  errors.componentNameMissing(),
  errors.componentNameTooLong(MAX_NAME_LENGTH),
  errors.componentTaken('Mount'),
  errors.requestTooLarge('at most 100 users on the default CC'),
];

const updatesComponent = {
  parameters: componentUpdate,
  response: responds(
    'The component was updated.',
    schemaRef(
      'UpdatedComponent',
      'A component as it is after the update.',
      z.object({
        ...NAMED,
        default_assignee: z.string(),
        default_qa_contact: z.string(),
        default_cc: z.array(z.string()),
        sort_key: z.int(),
        is_active: z.boolean(),
      }),
    ),
    {
      ...{ id: 1, name: 'Mount', description: 'Holds the telescope' },
      ...{ default_assignee: 'dev@bugless.example', default_qa_contact: '', default_cc: [] },
      ...{ sort_key: 0, is_active: true },
    },
  ),
  errors: [...componentErrors, errors.valueUnknown('component', 'Unknown'), sortKeyInvalid],
};

const release = schemaRef(
  'UpdatedRelease',
  'A version or a milestone as it is after the update.',
  z.object({ id: z.int(), name: z.string(), sort_key: z.int(), is_active: z.boolean() }),
);

const createsRelease = (kind: 'version' | 'milestone'): OperationText => ({
  summary: `Create a ${kind}`,
  text: 'Requires the group `editcomponents`. Unknown parameters are an error.',
  parameters: newRelease,
  response: createsOne(kind, 12),
  errors: [
    unknownParameter,
    errors.parameterMissing('name'),
    unknownProduct,
    errors.releaseTaken(kind, '3.0'),
    sortKeyInvalid,
    errors.requestTooLarge(`at most 5000 ${kind}s of a product`),
  ],
});

const updatesRelease = (kind: 'version' | 'milestone'): OperationText => ({
  summary: `Update a ${kind}`,
  text: `Requires the group \`editcomponents\`. Bugs keep a ${kind} that is not active any more. Its name stands in bugs, so it stays. Unknown parameters are an error.`,
  path: {
    product_and_name: inPath(
      `The names of a product and of its ${kind}, separated by \`/\`.`,
      'Telescope/1.0',
    ),
  },
  parameters: releaseUpdate,
  response: responds(`The ${kind} was updated.`, release, {
    ...{ id: 1, name: '1.0', sort_key: 0, is_active: false },
  }),
  errors: [
    unknownParameter,
    unknownProduct,
    errors.valueUnknown(kind, 'Unknown'),
    sortKeyInvalid,
    errors.parameterInvalid('is_active', 'it is the default milestone'),
  ],
});

const OF_PRODUCT =
  'Requires the group `editcomponents`, or a group of the product with this switch. Unknown parameters are an error.';
const namesProduct = { id_or_name: inPath('The id or the name of a product.', '1') };
const groupControls = schemaRef(
  'GroupControls',
  'What groups mean for a product and its bugs.',
  z.object({
    id: z.int(),
    name: z.string(),
    group_controls: z.array(
      z.object({
        group: z.string(),
        entry: describe('Whether only members file bugs.', z.boolean()),
        membercontrol: describe('How bugs of members are in the group.', z.enum(CONTROLS)),
        othercontrol: describe('How bugs of others are in it.', z.enum(CONTROLS)),
        canedit: describe('Whether only members change bugs.', z.boolean()),
        editcomponents: describe('Whether members edit the product.', z.boolean()),
        editbugs: describe('Whether members change every bug that they see.', z.boolean()),
        canconfirm: describe('Whether members confirm bugs.', z.boolean()),
      }),
    ),
  }),
);
const controlsExample = {
  id: 1,
  name: 'Telescope',
  group_controls: [
    {
      ...({ group: 'insiders', membercontrol: 'SHOWN', othercontrol: 'MANDATORY' } as const),
      ...{ entry: false, canedit: false, editcomponents: false, editbugs: false, canconfirm: false },
    },
  ],
};

const keyword = schemaRef(
  'Keyword',
  'A keyword that bugs may have.',
  z.object({ name: z.string(), description: describe('What it says of a bug.', z.string()) }),
);
const keywordExample = { name: 'regression', description: 'Worked in an earlier version' };

/** The OpenAPI documentation of components, versions, milestones and keywords. functions/administration/README.md 2, 8. */
export const partOperations = {
  'POST /rest/component': {
    summary: 'Create a component',
    text: 'Requires the group `editcomponents`. Unknown parameters are an error.',
    parameters: newComponent,
    response: createsOne('component', 9),
    errors: componentErrors,
  },
  'PUT /rest/component': {
    summary: 'Update a component that parameters name',
    text: 'Requires the group `editcomponents`. The component is named by `product` and `component`. Bugs stay in it under its new name. Unknown parameters are an error.',
    ...updatesComponent,
  },
  'PUT /rest/component/{id_or_name+}': {
    summary: 'Update a component',
    text: 'Requires the group `editcomponents`. Bugs stay in the component under its new name. Unknown parameters are an error.',
    path: {
      id_or_name: inPath(
        'The names of a product and of its component, separated by `/`; or the id of a component.',
        'Telescope/Mount',
      ),
    },
    ...updatesComponent,
    errors: [...updatesComponent.errors, errors.requestTooLarge('at most 1000 products; use the catalogue')],
  },
  'POST /rest/bugless/version': createsRelease('version'),
  'PUT /rest/bugless/version/{product_and_name+}': updatesRelease('version'),
  'POST /rest/bugless/milestone': createsRelease('milestone'),
  'PUT /rest/bugless/milestone/{product_and_name+}': updatesRelease('milestone'),
  'GET /rest/bugless/product/{id_or_name}/group_controls': {
    summary: 'Get the group controls of a product',
    text: `What groups mean for a product. ${OF_PRODUCT}`,
    path: namesProduct,
    response: responds('The group controls.', groupControls, controlsExample),
    errors: [unknownProduct],
  },
  'PUT /rest/bugless/product/{id_or_name}/group_controls': {
    summary: 'Change group controls of a product',
    text: `Bugs of the product get groups that are \`MANDATORY\`, and lose those that are \`NA\`. ${OF_PRODUCT}`,
    path: namesProduct,
    parameters: groupControlsUpdate,
    response: responds('The group controls were changed.', groupControls, controlsExample),
    errors: [
      unknownParameter,
      unknownProduct,
      errors.groupUnknown('no-such-group'),
      errors.parameterInvalid('group_controls', 'it must be one of NA, SHOWN, DEFAULT, MANDATORY'),
      errors.requestTooLarge('at most 1000 bugs of a product; use the catalogue'),
    ],
  },
  'GET /rest/bugless/keyword': {
    summary: 'List keywords',
    text: 'All keywords, ordered by name.',
    response: responds('The keywords.', z.object({ keywords: z.array(keyword) }), {
      keywords: [keywordExample],
    }),
    errors: [],
  },
  'POST /rest/bugless/keyword': {
    summary: 'Create a keyword',
    text: 'Requires the group `editkeywords`. Unknown parameters are an error.',
    parameters: newKeyword,
    response: { status: 201, text: 'The keyword was created.', schema: keyword, example: keywordExample },
    errors: [
      unknownParameter,
      errors.parameterMissing('name'),
      errors.keywordTaken('regression'),
      errors.requestTooLarge('at most 2000 keywords'),
    ],
  },
  'PUT /rest/bugless/keyword/{name}': {
    summary: 'Update a keyword',
    text: 'Requires the group `editkeywords`. The name of a keyword stands in bugs, so it stays. Unknown parameters are an error.',
    path: { name: inPath('The name of a keyword, in any case.', 'regression') },
    parameters: keywordUpdate,
    response: responds('The keyword was updated.', keyword, keywordExample),
    errors: [
      unknownParameter,
      errors.valueUnknown('keyword', 'Unknown'),
      errors.parameterMissing('description'),
    ],
  },
} satisfies Record<string, OperationText>;
