import { lambdaHandler } from '../../lib/http/handler.ts';
import { createProduct } from './create-product.ts';
import { getProducts } from './get-products.ts';
import { routeGroup } from './group.ts';
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

export const handler = lambdaHandler(routeGroup.routes, endpoints, productServices(process.env));
