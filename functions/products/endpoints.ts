import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { auditPartition } from '../../lib/table/keys.ts';
import { IDEMPOTENCY, PRODUCTS, tablePermissions } from '../table-permissions.ts';

/** The product operations. */
export const endpointGroup = {
  name: 'products',
  routes: [
    route('GET', '/rest/product_selectable', 'listSelectable', 'public'),
    route('GET', '/rest/product_enterable', 'listEnterable', 'public'),
    route('GET', '/rest/product_accessible', 'listAccessible', 'public'),
    route('GET', '/rest/product', 'getProducts', 'public'),
    route('GET', '/rest/product/{id_or_name+}', 'getProducts', 'public'),
    route('POST', '/rest/product', 'createProduct', 'editComponents'),
    route('PUT', '/rest/product/{id_or_name+}', 'updateProducts', 'editcomponents of a product'),
  ],
  permissions: tablePermissions({
    read: [...PRODUCTS, 'CLASSIFICATION#*', IDEMPOTENCY],
    writes: ['put', 'update', 'delete'],
    write: [
      ...PRODUCTS,
      auditPartition,
      IDEMPOTENCY,
      'COUNTER#product',
      'COUNTER#version',
      'COUNTER#milestone',
    ],
  }),
  assets: [],
  isOptional: false,
} as const satisfies EndpointGroup;
