/**
 * A small model of the interface: functions/README.md as functions over
 * a world in memory. It is written from those documents and shares no rule with lib/ and functions/, so that
 * it can tell where they are wrong.
 */

import { createBug, getBug, getHistory, searchBugs } from './bug-rules.ts';
import { createComment, getComments } from './comment-rules.ts';
import { createProduct, getProducts, listIds, updateProducts } from './product-rules.ts';
import { type Caller, callerOf, type JsonResponse, Refusal, type Request } from './send-request.ts';
import { searchTags, updateTags } from './tag-rules.ts';
import { updateBugs } from './update-rules.ts';
import { getUser, whoami } from './user-rules.ts';
import type { World } from './world.ts';

/** What came with a request. */
export interface Given {
  path: Record<string, string>;
  /** of query and body; the query wins. functions/README.md 1 */
  parameters: Record<string, unknown>;
  learned: Learned;
}

/** What only the service can decide: the ids and times that it gives. */
export interface Learned {
  /** in the answer to the request */
  id: number | undefined;
  /**
   * Of the comment in this place of a bug.
   *
   * @param before time of the comment before it
   */
  comment(bug: number, count: number, before: string): { id: number; time: string };
  /**
   * When a field of the bug changed, as the answer says.
   *
   * @param before when it last changed before
   */
  change(bug: number, before: string): string;
  /** When the answer says that the bug last changed, if that is at `least`. */
  lastChange(bug: number, least: string): string;
  /** ids of the version and the milestone of a product that the service made */
  partsOf(product: number): { version: number; milestone: number };
}

const NOTHING: Learned = {
  id: undefined,
  comment: () => ({ id: -1, time: '' }),
  partsOf: () => ({ version: -1, milestone: -1 }),
  lastChange: (_, least) => least,
  change: (_, before) => before,
};

/** What a rule does: it changes the world, and returns the body of the answer, or throws a Refusal first. */
type Rule = (world: World, caller: Caller, given: Given) => unknown;

export const rules: Record<string, Rule> = {
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
  'GET /rest/whoami': whoami,
  'GET /rest/user/{id_or_name}': getUser,
};

/** A new bug answers 200, as Bugzilla's. */
const CREATING = ['POST /rest/product', 'POST /rest/bug/{id_or_alias}/comment'];

/** The model's answer to a request, which changes the world as the request asks. */
export function answerTo(world: World, request: Request, learned = NOTHING): JsonResponse {
  const rule = rules[request.route];
  if (rule === undefined) throw new Error(`The model knows no ${request.route}`);
  const given = {
    path: request.path ?? {},
    parameters: { ...request.body, ...request.query },
    learned,
  };
  try {
    const body = rule(world, callerOf(request.by), given);
    return { status: CREATING.includes(request.route) ? 201 : 200, body };
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}
