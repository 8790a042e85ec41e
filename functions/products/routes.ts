/** The product operations. SPEC.md 4.1 to 4.4. */
export const routes = [
  { method: 'GET', path: '/rest/product_selectable', endpoint: 'listSelectable', authPolicy: 'public' },
  { method: 'GET', path: '/rest/product_enterable', endpoint: 'listEnterable', authPolicy: 'public' },
  { method: 'GET', path: '/rest/product_accessible', endpoint: 'listAccessible', authPolicy: 'public' },
  { method: 'GET', path: '/rest/product', endpoint: 'getProducts', authPolicy: 'public' },
  { method: 'GET', path: '/rest/product/{id_or_name+}', endpoint: 'getProducts', authPolicy: 'public' },
  { method: 'POST', path: '/rest/product', endpoint: 'createProduct', authPolicy: 'editcomponents' },
  { method: 'PUT', path: '/rest/product/{id_or_name+}', endpoint: 'updateProducts', authPolicy: 'editcomponents' },
] as const;
