import { lambdaHandler } from '../../lib/http/handler.ts';
import { createProduct } from './create-product.ts';
import { endpointGroup } from './endpoints.ts';
import { getProducts } from './get-products.ts';
import { listProductIds } from './list-product-ids.ts';
import { productServices } from './services.ts';
import { updateProducts } from './update-products.ts';

const endpoints = {
  listSelectable: listProductIds('selectable'),
  listEnterable: listProductIds('enterable'),
  listAccessible: listProductIds('accessible'),
  getProducts,
  createProduct,
  updateProducts,
};

export const handler = lambdaHandler(endpointGroup.routes, endpoints, productServices(process.env));
