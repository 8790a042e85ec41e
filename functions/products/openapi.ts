import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { answers, creates, type GroupText, parametersOf } from '../../lib/openapi/documentation.ts';
import { describe, named } from '../../lib/openapi/metadata.ts';
import type { group } from './group.ts';
import { product, productExample } from './product-schema.ts';
import { newProduct, productQuery, productUpdate } from './schemas.ts';

const ids = named('ProductIds', 'Ids of products, in ascending order.', z.object({ ids: z.array(z.int()) }));

const found = named('Products', 'Products, ordered by id.', z.object({ products: z.array(product) }));

const madeProduct = named(
  'CreatedProduct',
  'What was created.',
  z.object({ id: describe('The id of the new product.', z.int()) }),
);

const change = named(
  'Change',
  "A field's value before and after. Truth values are `'1'` and `'0'`.",
  z.object({
    added: describe('The new value.', z.string()),
    removed: describe('The previous value.', z.string()),
  }),
);

const changed = named(
  'ChangedProducts',
  'What really changed, product by product, in the order in which they were named.',
  z.object({
    products: z.array(
      z.object({
        id: z.int(),
        changes: z.partial(
          z.object({
            name: change,
            description: change,
            default_milestone: change,
            has_unconfirmed: change,
            is_open: change,
          }),
        ),
      }),
    ),
  }),
);

const idOrName = {
  text: 'The id of a product, or else its name in any case. Only digits: an id.',
  wants: z.string(),
  example: 'Telescope',
};

const query = parametersOf(productQuery, {
  ids: {
    text: 'Ids of products. What is no id of a product is left out.',
    wants: z.array(z.int()),
    example: [1, 2],
  },
  names: { text: 'Names of products, in any case.', example: ['Telescope'] },
  type: {
    text: 'Which products: those that the caller can select (in a search), enter bugs against, or either. Several: any of them. Given with ids or names, it leaves out others of those. `accessible` without it.',
    wants: z.array(z.enum(['accessible', 'selectable', 'enterable'])),
    example: ['enterable'],
  },
});

const listed = (which: string) => ({
  text: `Ids of the products that the caller can ${which}.`,
  answer: answers('The ids.', ids, { ids: [1, 4, 5] }),
  errors: [],
});

const nameErrors = [
  errors.productNameMissing(),
  errors.productNameUnprintable(),
  errors.productNameTooLong(64),
  errors.productNameTaken('Telescope'),
  errors.productNameDiffersInCase('TELESCOPE'),
];

/** What the OpenAPI document says of the product operations. functions/README.md 4.2. */
export const text: GroupText<typeof group.routes> = {
  title: 'Products',
  text: 'List, read, create and change products. What the caller may not see is left out, as if it did not exist.',
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
      answer: answers('The products.', found, { products: [productExample] }),
      errors: [errors.productTypeUnknown('any')],
    },
    'GET /rest/product/{id_or_name+}': {
      summary: 'Get a product',
      text: 'The product of the path, and others that the query names. There being none is no error.',
      path: { id_or_name: idOrName },
      parameters: query,
      selectsFields: true,
      answer: answers('The products.', found, { products: [productExample] }),
      errors: [errors.productTypeUnknown('any')],
    },
    'POST /rest/product': {
      summary: 'Create a product',
      text: 'Takes the group `editcomponents`. The product gets one version, one milestone, and no components.',
      parameters: parametersOf(newProduct, {
        name: {
          text: 'At most 64 characters, and no other product has it in any case.',
          required: true,
          example: 'Rocket',
        },
        description: { text: 'May be simple HTML.', required: true, example: 'To the moon' },
        version: { text: 'The first version, at most 64 characters.', required: true, example: '1.0' },
        has_unconfirmed: { text: 'Whether bugs may be UNCONFIRMED; `true` without it.' },
        classification: { text: 'The name of a classification; `Unclassified` without it.' },
        default_milestone: {
          text: 'The first milestone, at most 64 characters; without it, the placeholder of the installation.',
        },
        is_open: { text: 'Whether bugs may be entered; `true` without it.' },
        create_series: { text: 'Has no effect: there are no charts.' },
      }),
      answer: creates('The product is there.', madeProduct, { id: 8 }),
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
      summary: 'Change products',
      text: 'Takes the group `editcomponents`. Changes the product of the path and those of `ids` and `names`: all of them, or none. Any other parameter is refused.',
      path: { id_or_name: idOrName },
      parameters: parametersOf(productUpdate, {
        ids: { text: 'Ids of further products.', wants: z.array(z.int()) },
        names: { text: 'Names of further products, in any case.' },
        name: { text: 'A new name, for one product only.' },
        default_milestone: { text: 'The name of a milestone that each of the products has.' },
        description: { text: 'A new description.', example: 'To the moon and back' },
        has_unconfirmed: { text: 'Whether bugs may be UNCONFIRMED.' },
        is_open: { text: 'Whether bugs may be entered.', example: true },
        is_active: { text: 'Another name of `is_open`, which wins.' },
      }),
      answer: answers('The products are changed.', changed, {
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
