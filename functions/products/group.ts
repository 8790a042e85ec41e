import { productIndexPartition } from '../../lib/dynamodb/keys.ts';
import type { RouteGroup } from '../../lib/http/routes.ts';
import { IDEMPOTENCY, PRODUCTS, tablePermissions } from '../table-permissions.ts';

/** The product operations. */
export const routeGroup = {
  name: 'products',
  routes: [
    { method: 'GET', path: '/rest/product_selectable', endpoint: 'listSelectable', authPolicy: 'public' },
    { method: 'GET', path: '/rest/product_enterable', endpoint: 'listEnterable', authPolicy: 'public' },
    { method: 'GET', path: '/rest/product_accessible', endpoint: 'listAccessible', authPolicy: 'public' },
    { method: 'GET', path: '/rest/product', endpoint: 'getProducts', authPolicy: 'public' },
    { method: 'GET', path: '/rest/product/{id_or_name+}', endpoint: 'getProducts', authPolicy: 'public' },
    { method: 'POST', path: '/rest/product', endpoint: 'createProduct', authPolicy: 'editcomponents' },
    {
      method: 'PUT',
      path: '/rest/product/{id_or_name+}',
      endpoint: 'updateProducts',
      authPolicy: 'editcomponents',
    },
  ],
  permissions: tablePermissions({
    read: [...PRODUCTS, 'CLASSIFICATION#*', IDEMPOTENCY],
    put: [...PRODUCTS, IDEMPOTENCY],
    update: [productIndexPartition, 'COUNTER#product', 'COUNTER#version', 'COUNTER#milestone'],
    delete: ['PRODUCTNAME#*'],
  }),
  assets: [],
  isOptional: false,
} as const satisfies RouteGroup;
