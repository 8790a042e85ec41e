import * as z from 'zod/mini';
import { MAX_NAME_LENGTH } from '../../lib/base/names.ts';
import { errors } from '../../lib/errors.ts';
import { type EndpointGroupDescription, responds } from '../../lib/http/openapi/documentation.ts';
import { schemaRef } from '../../lib/http/openapi/metadata.ts';
import { change, createsOne } from '../../lib/http/openapi/shapes.ts';
import { newProduct, productQuery, productUpdate } from '../../lib/products/requests.ts';
import { responseName, UPDATABLE_FIELDS } from '../../lib/products/schema.ts';
import type { endpointGroup } from './endpoints.ts';
import { product, productExample } from './openapi-product.ts';

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
  type: () => z.string(),
  example: 'Telescope',
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
      parameters: productQuery,
      selectsFields: true,
      response: responds('The products.', found, { products: [productExample] }),
      errors: [errors.productTypeUnknown('any')],
    },
    'GET /rest/product/{id_or_name+}': {
      summary: 'Get a product',
      text: 'The product of the path, and others that the query selects. The list is empty if none of them exists.',
      path: { id_or_name: idOrName },
      parameters: productQuery,
      selectsFields: true,
      response: responds('The products.', found, { products: [productExample] }),
      errors: [errors.productTypeUnknown('any')],
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
      path: { id_or_name: idOrName },
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
