/**
 * A small model of the interface: functions/README.md as functions over
 * a world in memory. It is written from that document and shares no code with lib/ and functions/, so that
 * it can find errors in them.
 */

import { createBug, getBug, getHistory, searchBugs } from './bug-rules.ts';
import { createComment, getComments } from './comment-rules.ts';
import { createProduct, getProducts, listIds, updateProducts } from './product-rules.ts';
import { type Caller, callerOf, type JsonResponse, Refusal, type Request } from './send-request.ts';
import { searchTags, updateTags } from './tag-rules.ts';
import { updateBugs } from './update-rules.ts';
import type { World } from './world.ts';

/** The input of a rule. */
export interface Given {
  path: Record<string, string>;
  /** of query and body; the query takes precedence. functions/README.md 1 */
  parameters: Record<string, unknown>;
  generated: GeneratedValues;
}

/** Values that the service generates: ids and times. */
export interface GeneratedValues {
  /** in the response to the request */
  id: number | undefined;
  /**
   * The id and time of a comment by its position.
   *
   * @param before time of the comment before it
   */
  comment(bug: number, count: number, before: string): { id: number; time: string };
  /**
   * The time of the change of a bug according to the response.
   *
   * @param before the time of its previous change
   */
  change(bug: number, before: string): string;
  /** The time of the last change of a bug according to the response, if it is at `least`. */
  lastChange(bug: number, least: string): string;
  /** ids of the version and the milestone of a created product */
  partsOf(product: number): { version: number; milestone: number };
}

const NO_GENERATED_VALUES: GeneratedValues = {
  id: undefined,
  comment: () => ({ id: -1, time: '' }),
  partsOf: () => ({ version: -1, milestone: -1 }),
  lastChange: (_, least) => least,
  change: (_, before) => before,
};

/** Changes the world and returns the body of the response, or throws a Refusal before any change. */
type Rule = (world: World, caller: Caller, given: Given) => unknown;

const rules: Record<string, Rule> = {
  'GET /rest/product_selectable': listIds('selectable'),
  'GET /rest/product_enterable': listIds('enterable'),
  'GET /rest/product_accessible': listIds('accessible'),
  'GET /rest/product': getProducts,
  'GET /rest/product/{id_or_name}': getProducts,
  'POST /rest/product': createProduct,
  'PUT /rest/product/{id_or_name}': updateProducts,
  'GET /rest/bug/{id_or_alias}/comment': getComments,
  'GET /rest/bug/comment/{comment_id}': getComments,
  'POST /rest/bug/{id_or_alias}/comment': createComment,
  'GET /rest/bug/comment/tags/{query}': searchTags,
  'PUT /rest/bug/comment/{comment_id}/tags': updateTags,
  'GET /rest/bug': searchBugs,
  'GET /rest/bug/{id_or_alias}': getBug,
  'GET /rest/bug/{id_or_alias}/history': getHistory,
  'POST /rest/bug': createBug,
  'PUT /rest/bug/{id_or_alias}': updateBugs,
};

/** Routes that respond with 201; created bugs have 200, as in Bugzilla. */
const CREATE_ROUTES = ['POST /rest/product', 'POST /rest/bug/{id_or_alias}/comment'];

/** Applies a request to the world. @returns the response */
export function respond(world: World, request: Request, generated = NO_GENERATED_VALUES): JsonResponse {
  const rule = rules[request.route];
  if (rule === undefined) throw new Error(`The model has no rule for ${request.route}`);
  const given = {
    path: request.path ?? {},
    parameters: { ...request.body, ...request.query },
    generated,
  };
  try {
    const body = rule(world, callerOf(request.by), given);
    return { status: CREATE_ROUTES.includes(request.route) ? 201 : 200, body };
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}
