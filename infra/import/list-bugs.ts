import { type Bugzilla, BugzillaError, type Query } from './bugzilla-client.ts';
import { bugsResponse, groupsOfBugsResponse, type InvalidBug, type SourceBug } from './source-schema.ts';

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

/** Bugs that a request scans. A server may return fewer and have more. */
const SCANNED_BUGS = 10_000;

/**
 * The groups of the bugs that there are to list, by id; undefined on servers without search.
 *
 * @throws what Bugzilla.get throws
 */
export async function scanBugs(
  bugzilla: Bugzilla,
  products: readonly string[],
  range: BugRange,
): Promise<Map<number, readonly string[]> | undefined> {
  const scanned = new Map<number, readonly string[]>();
  try {
    for (const product of products) {
      for (let offset = 0, size = -1; scanned.size > size; ) {
        size = scanned.size;
        const query = { ...searchOf(product, 'id,groups', range), limit: SCANNED_BUGS, offset };
        const { bugs } = await bugzilla.get('bug', groupsOfBugsResponse, { query });
        for (const { id, groups } of bugs) scanned.set(id, groups);
        offset += bugs.length;
      }
    }
    return scanned;
  } catch (error) {
    if (error instanceof BugzillaError && error.code === PARAMETER_REQUIRED) return undefined;
    throw error;
  }
}

/** The parameters of a search for the bugs of a product. */
const searchOf = (product: string, fields: string, { fromBug, toBug }: BugRange): Query => ({
  product,
  include_fields: fields,
  order: 'bug_id',
  ...(fromBug > 1 ? { f1: 'bug_id', o1: 'greaterthaneq', v1: fromBug } : {}),
  ...(toBug < Number.POSITIVE_INFINITY ? { f2: 'bug_id', o2: 'lessthaneq', v2: toBug } : {}),
});

async function* searchProduct(
  bugzilla: Bugzilla,
  product: string,
  fields: string,
  range: BugRange,
): AsyncGenerator<Page> {
  const { fromBug, toBug, bugsPerPage } = range;
  const query = { ...searchOf(product, fields, range), limit: bugsPerPage };
  let previous = new Set<number>();
  for (let offset = 0; ; ) {
    const { bugs, invalid } = await bugzilla.get('bug', bugsResponse, { query: { ...query, offset } });
    const isWanted = ({ id = fromBug }: { id?: number | undefined }) =>
      id >= fromBug && id <= toBug && !previous.has(id);
    const returned = [...bugs, ...invalid];
    yield { bugs: bugs.filter(isWanted), invalid: invalid.filter(isWanted) };
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
      (_, index) => from + index,
    );
    const query = { id: ids.join(','), include_fields: fields, limit: 0 };
    const { bugs, invalid } = await bugzilla.get('bug', bugsResponse, { query });
    yield { bugs: bugs.filter(({ product }) => products.has(product)), invalid };
    last = [...bugs, ...invalid].reduce((highest, { id = 0 }) => Math.max(highest, id), last);
    from += ids.length;
  }
}
