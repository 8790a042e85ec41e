import { type Bugzilla, BugzillaError, type Query } from './bugzilla-client.ts';
import { BUG_FIELDS, bugsAnswer, type SourceBug } from './source-schema.ts';

/** Which bugs to copy. */
export interface BugRange {
  fromBug: number;
  toBug: number;
}

/** Bugs that were listed, and whether there may be more. */
export interface Page {
  bugs: SourceBug[];
  hasMore: boolean;
}

/** As long as URLs with so many ids are taken everywhere. */
const IDS_AT_ONCE = 100;
/** Where nothing has been for so many ids, nothing follows. */
const LONGEST_GAP = 1_000;
const PARAMETER_REQUIRED = 50;

/**
 * Lists the bugs of products, page by page: by searching for each product, or id by id where the server does not
 * search.
 *
 * @param atOnce how many to ask for at once; a server may give fewer
 * @throws what Bugzilla.get throws
 */
export async function* listBugs(
  bugzilla: Bugzilla,
  products: string[],
  range: BugRange,
  atOnce: number,
): AsyncGenerator<Page> {
  for (const product of products) {
    try {
      yield* searched(bugzilla, product, range, atOnce);
    } catch (error) {
      if (!(error instanceof BugzillaError && error.code === PARAMETER_REQUIRED)) throw error;
      yield* numbered(bugzilla, new Set(products), range);
      return;
    }
  }
}

async function* searched(
  bugzilla: Bugzilla,
  product: string,
  { fromBug, toBug }: BugRange,
  atOnce: number,
): AsyncGenerator<Page> {
  const query: Query = {
    product,
    include_fields: BUG_FIELDS,
    order: 'bug_id',
    limit: atOnce,
    ...(fromBug > 1 ? { f1: 'bug_id', o1: 'greaterthaneq', v1: fromBug } : {}),
    ...(toBug < Number.POSITIVE_INFINITY ? { f2: 'bug_id', o2: 'lessthaneq', v2: toBug } : {}),
  };
  let before = new Set<number>();
  for (let offset = 0; ; ) {
    const { bugs } = await bugzilla.get('bug', bugsAnswer, { query: { ...query, offset } });
    const fresh = bugs.filter(({ id }) => !before.has(id));
    yield { bugs: fresh.filter(({ id }) => id >= fromBug && id <= toBug), hasMore: bugs.length >= atOnce };
    // A server that gives less than it was asked for may have more; one without offset gives the same again.
    if (fresh.length === 0) return;
    offset += bugs.length;
    before = new Set(bugs.map(({ id }) => id));
  }
}

async function* numbered(
  bugzilla: Bugzilla,
  products: ReadonlySet<string>,
  { fromBug, toBug }: BugRange,
): AsyncGenerator<Page> {
  let last = fromBug - 1;
  for (
    let from = fromBug;
    from <= toBug && (from <= last + LONGEST_GAP || toBug < Number.POSITIVE_INFINITY);
  ) {
    const ids = Array.from({ length: Math.min(IDS_AT_ONCE, toBug - from + 1) }, (_, place) => from + place);
    const query = { id: ids.join(','), include_fields: BUG_FIELDS, limit: 0 };
    const { bugs } = await bugzilla.get('bug', bugsAnswer, { query });
    yield { bugs: bugs.filter(({ product }) => products.has(product)), hasMore: true };
    last = Math.max(last, ...bugs.map(({ id }) => id));
    from += ids.length;
  }
}
