/** The product operations. SPEC.md 4.1 to 4.4. */
export const routes = [
  { method: 'GET', path: '/rest/product_selectable', endpoint: 'listSelectable', callers: 'readers' },
  { method: 'GET', path: '/rest/product_enterable', endpoint: 'listEnterable', callers: 'readers' },
  { method: 'GET', path: '/rest/product_accessible', endpoint: 'listAccessible', callers: 'readers' },
  { method: 'GET', path: '/rest/product', endpoint: 'getProducts', callers: 'readers' },
  { method: 'GET', path: '/rest/product/{id_or_name+}', endpoint: 'getProducts', callers: 'readers' },
  { method: 'POST', path: '/rest/product', endpoint: 'createProduct', callers: 'users' },
  { method: 'PUT', path: '/rest/product/{id_or_name+}', endpoint: 'updateProducts', callers: 'users' },
] as const;
