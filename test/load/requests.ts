import * as z from 'zod';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import type { Journal } from './journal.ts';
import type { Found, FoundComment } from './verify.ts';
import { ADMIN_KEY } from './world.ts';

const comment = z.object({
  id: z.int(),
  bug_id: z.int(),
  count: z.int(),
  text: z.string(),
  tags: z.array(z.string()),
});
const commentsResponse = z.object({
  bugs: z.record(z.string(), z.object({ comments: z.array(comment) })),
  comments: z.record(z.string(), comment),
});
const productsResponse = z.object({
  products: z.array(z.object({ id: z.int(), name: z.string(), description: z.string() })),
});

const CHUNK_SIZE = 100;
const FIELDS = 'id,bug_id,count,text,tags';

/**
 * Reads all acknowledged comments and products.
 *
 * @throws Error when a request fails
 */
export async function readAll(url: string, { comments, products }: Journal): Promise<Found> {
  const bugs = [...new Set(comments.map(({ bug }) => bug))];
  const ofBugs = await mapConcurrent(bugs, async (bug) => [bug, await commentsOf(url, bug)] as const);
  const ids = comments.map(({ id }) => id);
  const byId = await mapConcurrent(inChunks(ids), (chunk) => commentsById(url, chunk));
  const byName = await mapConcurrent(inChunks(products.map(({ name }) => name)), (chunk) =>
    productsBy(url, chunk),
  );
  return {
    bugs: new Map(ofBugs),
    comments: new Map(byId.flat().map((one) => [one.id, one])),
    products: new Map(byName.flat().map((one) => [one.name, one])),
  };
}

async function commentsOf(url: string, bug: number): Promise<FoundComment[]> {
  const body = await request(`${url}/rest/bug/${bug}/comment?include_fields=${FIELDS}`);
  return body === undefined ? [] : (commentsResponse.parse(body).bugs[bug]?.comments ?? []);
}

/** A missing comment fails the whole request: then both halves are requested. */
async function commentsById(url: string, ids: number[]): Promise<FoundComment[]> {
  const [first, ...others] = ids;
  const more = others.map((id) => `&comment_ids=${id}`).join('');
  const body = await request(`${url}/rest/bug/comment/${first}?include_fields=${FIELDS}${more}`);
  if (body !== undefined) return Object.values(commentsResponse.parse(body).comments);
  if (others.length === 0) return [];
  const half = Math.ceil(ids.length / 2);
  return [...(await commentsById(url, ids.slice(0, half))), ...(await commentsById(url, ids.slice(half)))];
}

async function productsBy(url: string, names: string[]) {
  const query = new URLSearchParams([
    ['include_fields', 'id,name,description'],
    ...names.map((name): [string, string] => ['names', name]),
  ]);
  return productsResponse.parse(await request(`${url}/rest/product?${query}`)).products;
}

/** Bugzilla's error codes for bugs and comments that do not exist. */
const NOT_FOUND_CODES = [101, 111];
const errorBody = z.object({ code: z.int() });

/** @returns the response; undefined for bugs and comments that do not exist */
async function request(url: string): Promise<unknown> {
  const response = await fetch(url, { headers: { 'x-bugzilla-api-key': ADMIN_KEY } });
  const body: unknown = await response.json();
  if (response.ok) return body;
  if (NOT_FOUND_CODES.includes(errorBody.parse(body).code)) return undefined;
  throw new Error(`GET ${url}: ${response.status} ${JSON.stringify(body)}`);
}

function inChunks<T>(all: T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / CHUNK_SIZE) }, (_, at) =>
    all.slice(at * CHUNK_SIZE, (at + 1) * CHUNK_SIZE),
  );
}
