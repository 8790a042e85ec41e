import { parseParameters } from '../../lib/base/parameters.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { checkNewProduct } from '../../lib/products/new-product.ts';
import { newProduct } from '../../lib/products/requests.ts';
import type { ProductServices } from './services.ts';

/** Creates a product with one version, one milestone and no components, and responds with its id. */
export const createProduct: Endpoint<ProductServices> = async (request, services) => {
  const { products, productDocuments, settings } = services;
  const user = await request.user;
  return services.idempotent(request, user, async (recordFor) => {
    const { create_series: _, is_open, ...given } = parseParameters(newProduct, request.parameters);
    const requested = { ...given, is_active: is_open };
    const product = await checkNewProduct(requested, products, settings.DEFAULT_MILESTONE);
    return productDocuments.create(user, product, recordFor, products.holderOf);
  });
};
