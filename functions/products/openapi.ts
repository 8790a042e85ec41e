import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { type EndpointGroupDescription, parametersOf, responds } from '../../lib/openapi/documentation.ts';
import { schemaRef } from '../../lib/openapi/metadata.ts';
import { change, createsOne } from '../../lib/openapi/shapes.ts';
import { UPDATABLE_FIELDS } from '../../lib/products/schema.ts';
import { MAX_NAME_LENGTH } from '../../lib/products/validation.ts';
import type { endpointGroup } from './endpoints.ts';
import { product, productExample } from './openapi-product.ts';
import { newProduct, productQuery, productUpdate, responseName } from './schemas.ts';

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

const idOrName = {
  text: 'The id of a product, or its name, ignoring case. A text of digits is an id.',
  type: z.string(),
  example: 'Telescope',
};

const query = parametersOf(productQuery, {
  ids: {
    text: 'Ids of products. Unknown ids are ignored.',
    type: z.array(z.int()),
    example: [1, 2],
  },
  names: { text: 'Names of products, ignoring case.', example: ['Telescope'] },
  type: {
    text: 'Types of products: those that the caller can select (in a search), enter bugs against, or either; several types are combined with OR. With ids or names it filters them. Default: `accessible`.',
    type: z.array(z.enum(['accessible', 'selectable', 'enterable'])),
    example: ['enterable'],
  },
});

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
      parameters: query,
      selectsFields: true,
      response: responds('The products.', found, { products: [productExample] }),
      errors: [errors.productTypeUnknown('any')],
    },
    'GET /rest/product/{id_or_name+}': {
      summary: 'Get a product',
      text: 'The product of the path, and others that the query selects. The list is empty if none of them exists.',
      path: { id_or_name: idOrName },
      parameters: query,
      selectsFields: true,
      response: responds('The products.', found, { products: [productExample] }),
      errors: [errors.productTypeUnknown('any')],
    },
    'POST /rest/product': {
      summary: 'Create a product',
      text: 'Requires the group `editcomponents`. The product gets one version, one milestone, and no components.',
      parameters: parametersOf(newProduct, {
        name: {
          text: `At most ${MAX_NAME_LENGTH} characters, unique ignoring case.`,
          required: true,
          example: 'Rocket',
        },
        description: { text: 'May be simple HTML.', required: true, example: 'To the moon' },
        version: {
          text: `The first version, at most ${MAX_NAME_LENGTH} characters.`,
          required: true,
          example: '1.0',
        },
        has_unconfirmed: { text: 'Whether bugs may be UNCONFIRMED. Default: `true`.' },
        classification: { text: 'The name of a classification. Default: `Unclassified`.' },
        default_milestone: {
          text: `The first milestone, at most ${MAX_NAME_LENGTH} characters. Default: the setting DEFAULT_MILESTONE.`,
        },
        is_open: { text: 'Whether bugs may be entered. Default: `true`.' },
        create_series: { text: 'Ignored: there are no charts.' },
      }),
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
      path: { id_or_name: idOrName },
      parameters: parametersOf(productUpdate, {
        ids: { text: 'Ids of further products.', type: z.array(z.int()) },
        names: { text: 'Names of further products, ignoring case.' },
        name: { text: 'A new name, for one product only.' },
        default_milestone: { text: 'The name of a milestone that each of the products has.' },
        description: { text: 'A new description.', example: 'To the moon and back' },
        has_unconfirmed: { text: 'Whether bugs may be UNCONFIRMED.' },
        is_open: { text: 'Whether bugs may be entered.', example: true },
        is_active: { text: 'Another name of `is_open`, which takes precedence.' },
      }),
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
