import { type Bugzilla, BugzillaError, type Query } from './bugzilla-client.ts';
import { bugsResponse, type InvalidBug, type SourceBug } from './source-schema.ts';

export interface BugRange {
  /** ids of bugs, both included */
  fromBug: number;
  toBug: number;
  /** requested bugs; a server may return fewer */
  bugsPerPage: number;
}

export interface Page {
  bugs: SourceBug[];
  invalid: InvalidBug[];
  hasMore: boolean;
}

/** Keeps the URL short enough for every server. */
const IDS_PER_REQUEST = 100;
/** After so many ids without a bug the listing ends. */
const MAX_ID_GAP = 1_000;
const PARAMETER_REQUIRED = 50;

/**
 * Lists the bugs of products page by page: with one search per product, or by id ranges on servers without search.
 *
 * @param fields `include_fields`
 * @throws what Bugzilla.get throws
 */
export async function* listBugs(
  bugzilla: Bugzilla,
  products: string[],
  fields: string,
  range: BugRange,
): AsyncGenerator<Page> {
  for (const product of products) {
    try {
      yield* searchProduct(bugzilla, product, fields, range);
    } catch (error) {
      if (!(error instanceof BugzillaError && error.code === PARAMETER_REQUIRED)) throw error;
      yield* listIds(bugzilla, new Set(products), fields, range);
      return;
    }
  }
}

async function* searchProduct(
  bugzilla: Bugzilla,
  product: string,
  fields: string,
  { fromBug, toBug, bugsPerPage }: BugRange,
): AsyncGenerator<Page> {
  const query: Query = {
    product,
    include_fields: fields,
    order: 'bug_id',
    limit: bugsPerPage,
    ...(fromBug > 1 ? { f1: 'bug_id', o1: 'greaterthaneq', v1: fromBug } : {}),
    ...(toBug < Number.POSITIVE_INFINITY ? { f2: 'bug_id', o2: 'lessthaneq', v2: toBug } : {}),
  };
  let previous = new Set<number>();
  for (let offset = 0; ; ) {
    const { bugs, invalid } = await bugzilla.get('bug', bugsResponse, { query: { ...query, offset } });
    const isWanted = ({ id = fromBug }: { id?: number | undefined }) =>
      id >= fromBug && id <= toBug && !previous.has(id);
    const returned = [...bugs, ...invalid];
    yield {
      bugs: bugs.filter(isWanted),
      invalid: invalid.filter(isWanted),
      hasMore: returned.length >= bugsPerPage,
    };
    // A server may return fewer bugs than requested and have more. One without offset returns the same page again.
    if (returned.every(({ id }) => id === undefined || previous.has(id))) return;
    offset += returned.length;
    previous = new Set(returned.flatMap(({ id }) => id ?? []));
  }
}

async function* listIds(
  bugzilla: Bugzilla,
  products: ReadonlySet<string>,
  fields: string,
  { fromBug, toBug }: BugRange,
): AsyncGenerator<Page> {
  let last = fromBug - 1;
  for (
    let from = fromBug;
    from <= toBug && (from <= last + MAX_ID_GAP || toBug < Number.POSITIVE_INFINITY);
  ) {
    const ids = Array.from(
      { length: Math.min(IDS_PER_REQUEST, toBug - from + 1) },
      (_, place) => from + place,
    );
    const query = { id: ids.join(','), include_fields: fields, limit: 0 };
    const { bugs, invalid } = await bugzilla.get('bug', bugsResponse, { query });
    yield { bugs: bugs.filter(({ product }) => products.has(product)), invalid, hasMore: true };
    last = [...bugs, ...invalid].reduce((highest, { id = 0 }) => Math.max(highest, id), last);
    from += ids.length;
  }
}
