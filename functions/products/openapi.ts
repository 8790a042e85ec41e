import * as z from 'zod/mini';
import { MAX_NAME_LENGTH } from '../../lib/base/names.ts';
import { errors } from '../../lib/errors.ts';
import {
  change,
  createsOne,
  describe,
  type EndpointGroupDescription,
  inPath,
  NAMED,
  responds,
  schemaRef,
} from '../../lib/http/openapi/documentation.ts';
import type { PART_FIELDS } from '../../lib/products/presenter.ts';
import { newProduct, productQuery, productUpdate } from '../../lib/products/requests.ts';
import { type ProductFields, responseName, UPDATABLE_FIELDS } from '../../lib/products/schema.ts';
import type { endpointGroup } from './endpoints.ts';

const ID = 'Unique in the installation.';

const flagType = schemaRef(
  'FlagType',
  'A type of flags of bugs or attachments.',
  z.object({
    ...NAMED,
    cc_list: describe('Logins, joined by `, `.', z.string()),
    sort_key: z.int(),
    is_active: describe('Whether new flags of the type may be set.', z.boolean()),
    is_requestable: describe('Whether the flag can be requested with `?`.', z.boolean()),
    is_requesteeble: describe('Whether a request can be addressed to a user.', z.boolean()),
    is_multiplicable: describe(
      'Whether a bug or attachment can have several flags of the type.',
      z.boolean(),
    ),
    grant_group: describe(
      'The group that may grant or deny the flag; null for everyone.',
      z.nullable(z.int()),
    ),
    request_group: describe('The group that may request the flag; null for everyone.', z.nullable(z.int())),
  }),
);

const component = schemaRef(
  'Component',
  'A component of a product. With `include_fields` only the selected fields are present.',
  z.partial(
    z.object({
      id: describe(ID, z.int()),
      name: z.string(),
      description: describe('May contain HTML.', z.string()),
      default_assigned_to: describe('The login of the default assignee.', z.string()),
      default_qa_contact: describe('A login; empty without a default QA contact.', z.string()),
      sort_key: describe('Components are ordered by sort key, then by name.', z.int()),
      is_active: describe('Whether bugs may be entered.', z.boolean()),
      flag_types: describe(
        'The flag types of the component.',
        z.object({ bug: z.array(flagType), attachment: z.array(flagType) }),
      ),
    }),
  ),
);

const release = schemaRef(
  'Release',
  'A version or a milestone.',
  z.partial(
    z.object({ id: describe(ID, z.int()), name: z.string(), sort_key: z.int(), is_active: z.boolean() }),
  ),
);

/** functions/README.md 4. */
const product = schemaRef(
  'Product',
  'A product. With `include_fields` only the selected fields are present.',
  z.partial(
    z.object({
      id: describe(ID, z.int()),
      name: describe('Unique, ignoring case.', z.string()),
      description: describe('May contain HTML.', z.string()),
      is_active: describe('Whether bugs may be entered.', z.boolean()),
      default_milestone: z.string(),
      has_unconfirmed: describe('Whether bugs may be UNCONFIRMED.', z.boolean()),
      classification: z.string(),
      description_template: describe(
        'What the description of a new bug begins with on the page; absent: nothing.',
        z.string(),
      ),
      components: describe('Ordered by sort key, then by name.', z.array(component)),
      versions: describe('Ordered by sort key, then by name in version order.', z.array(release)),
      milestones: describe('Ordered by sort key, then by name.', z.array(release)),
    } satisfies Record<
      keyof ProductFields | 'description_template' | (typeof PART_FIELDS)[number],
      z.ZodMiniType
    >),
  ),
);

/** The example of a product. */
const productExample: z.output<typeof product> = {
  id: 8,
  name: 'Rocket',
  description: 'To the moon',
  is_active: true,
  default_milestone: '—',
  has_unconfirmed: true,
  classification: 'Unclassified',
  components: [
    {
      id: 12,
      name: 'Engine',
      ...{ description: 'The engine', default_assigned_to: 'dev@bugless.example', default_qa_contact: '' },
      ...{ sort_key: 0, is_active: true, flag_types: { bug: [], attachment: [] } },
    },
  ],
  versions: [{ id: 15, name: '1.0', sort_key: 0, is_active: true }],
  milestones: [{ id: 16, name: '—', sort_key: 0, is_active: true }],
};

const ids = schemaRef(
  'ProductIds',
  'Ids of products, in ascending order.',
  z.object({ ids: z.array(z.int()) }),
);

const found = schemaRef('Products', 'Products, ordered by id.', z.object({ products: z.array(product) }));

const changed = schemaRef(
  'ChangedProducts',
  'The changed fields of each product, in the order of the request.',
  z.object({
    products: z.array(
      z.object({
        id: z.int(),
        changes: z.partial(
          z.object(Object.fromEntries(UPDATABLE_FIELDS.map((field) => [responseName(field), change]))),
        ),
      }),
    ),
  }),
);

const path = {
  id_or_name: inPath(
    'The id of a product, or its name, ignoring case. A text of digits is an id.',
    'Telescope',
  ),
};
const readsProducts = {
  parameters: productQuery,
  selectsFields: true as const,
  response: responds('The products.', found, { products: [productExample] }),
  errors: [errors.productTypeUnknown('any')],
};

const listed = (which: string) => ({
  text: `The ids of the products that the caller can ${which}.`,
  response: responds('The ids.', ids, { ids: [1, 4, 5] }),
  errors: [],
});

const nameErrors = [
  errors.productNameMissing(),
  errors.productNameUnprintable(),
  errors.productNameTooLong(MAX_NAME_LENGTH),
  errors.productNameTaken('Telescope'),
  errors.productNameDiffersInCase('TELESCOPE'),
];

/** The OpenAPI documentation of the product operations. functions/README.md 4. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Products',
  text: 'List, read, create and update products. Products that the caller may not see are treated as if they did not exist.',
  operations: {
    'GET /rest/product_selectable': {
      summary: 'Ids of selectable products',
      ...listed('select in a search'),
    },
    'GET /rest/product_enterable': { summary: 'Ids of enterable products', ...listed('enter bugs against') },
    'GET /rest/product_accessible': {
      summary: 'Ids of accessible products',
      ...listed('search or enter bugs against'),
    },
    'GET /rest/product': {
      summary: 'Get products',
      text: 'Products by ids, names or type; without any of them, all accessible ones.',
      ...readsProducts,
    },
    'GET /rest/product/{id_or_name+}': {
      summary: 'Get a product',
      text: 'The product of the path, and others that the query selects. The list is empty if none of them exists.',
      path,
      ...readsProducts,
    },
    'POST /rest/product': {
      summary: 'Create a product',
      text: 'Requires the group `editcomponents`. The product gets one version, one milestone, and no components.',
      parameters: newProduct,
      response: createsOne('product', 8),
      errors: [
        errors.notAuthorized('editcomponents', 'create products'),
        errors.classificationUnknown('Rockets'),
        errors.parameterMissing('classification'),
        errors.productDescriptionMissing(),
        ...nameErrors,
        errors.productVersionMissing(),
      ],
    },
    'PUT /rest/product/{id_or_name+}': {
      summary: 'Update products',
      text: 'Requires the group `editcomponents`. Updates the product of the path and those of `ids` and `names` in one transaction. Unknown parameters are an error.',
      path,
      parameters: productUpdate,
      response: responds('The products were updated.', changed, {
        products: [{ id: 1, changes: { is_open: { added: '0', removed: '1' } } }],
      }),
      errors: [
        errors.notAuthorized('editcomponents', 'change products'),
        errors.parameterUnknown('version'),
        errors.parameterNotInteger('ids', 'abc'),
        errors.productAccessDenied('Vault'),
        ...nameErrors,
        errors.productDescriptionMissing(),
        errors.milestoneUnknown('Telescope', 'M9'),
        errors.requestTooLarge('at most 30 products'),
      ],
    },
  },
};
