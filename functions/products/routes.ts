/** The product operations. SPEC.md 4.1 to 4.4. */
export const routes = [
  { method: 'GET', path: '/rest/product_selectable', endpoint: 'listSelectable', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/product_enterable', endpoint: 'listEnterable', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/product_accessible', endpoint: 'listAccessible', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/product', endpoint: 'getProducts', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/product/{id_or_name+}', endpoint: 'getProducts', authPolicy: 'readers' },
  { method: 'POST', path: '/rest/product', endpoint: 'createProduct', authPolicy: 'users' },
  { method: 'PUT', path: '/rest/product/{id_or_name+}', endpoint: 'updateProducts', authPolicy: 'users' },
] as const;
