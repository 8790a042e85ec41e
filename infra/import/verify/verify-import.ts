import { normalizeName } from '../../../lib/base/text.ts';
import { awaitsKey } from '../../../lib/people/imported.ts';
import { IMPORTED_UNMAILED } from '../../../lib/people/schema.ts';
import { OWN_FIELDS, PUBLIC_FIELDS } from '../../../lib/people/user-fields.ts';
import type { Progress } from '../../admin/progress.ts';
import { accountList } from '../account-list.ts';
import { type Bugzilla, unlessRefused } from '../bugzilla-client.ts';
import {
  DEFINITION_FIELDS,
  definitionsResponse,
  idsResponse,
  productIdsOfBugsResponse,
  productNamesResponse,
  type SourceAccount,
} from '../source-schema.ts';
import { type ComparedCounts, compareBugs, type Sides } from './compare-bugs.ts';
import { compareSettings } from './compare-settings.ts';
import { type Differences, type KindOfDifferences, openDifferences } from './differences.ts';
import { AWAITS_KEY, type Reader } from './rules.ts';

export interface VerifyOptions {
  /** bugs whose content is compared; Infinity: all */
  sample: number;
  /** the file of differences */
  file: string;
  givesRights: (group: string) => boolean;
  /** both sides with the keys of another user, who is compared, too */
  also?: Sides | undefined;
  /** the names of the groups that bugs of a product may be in here, by the name of the product; absent: not known */
  controlsOf?: (product: string) => Promise<readonly string[] | undefined>;
}

/** What both sides show to a reader. */
interface ComparedReader extends ComparedCounts {
  reader: Reader;
  products: { there: number; here: number };
  /** all, of which `bugs` were compared */
  shownBugs: { there: number; here: number };
}

export interface Verification {
  source: string;
  here: string;
  requests: { there: number; here: number };
  readers: ComparedReader[];
  /** undefined: without an API key, or not told */
  users: { there: number; here: number; groups: { there: number; here: number } } | undefined;
  differences: KindOfDifferences[];
  /** what is written otherwise on purpose */
  intended: { rule: string; why: string; count: number }[];
  file: string;
}

/** Ids that a request lists. A server may return fewer and have more. */
const IDS_PER_REQUEST = 10_000;
const PRODUCT_LISTS = ['product_accessible', 'product_selectable', 'product_enterable'] as const;

/**
 * Compares what a Bugzilla and this service show, to the owners of the API keys and anonymously: response beside response.
 *
 * @throws what bugzilla.signIn and bugzilla.get throw
 */
export async function verifyImport(
  sides: Sides,
  options: VerifyOptions,
  report: (progress: Progress) => void = () => undefined,
): Promise<Verification> {
  if (sides.there.hasKey) await sides.there.signIn();
  if (sides.here.hasKey) await sides.here.signIn();
  await options.also?.there.signIn();
  await options.also?.here.signIn();
  const differences = await openDifferences(options.file, options);
  try {
    const custom = await customFields(sides.there, differences);
    const readers: ComparedReader[] = [];
    const roles: Reader[] = sides.there.hasKey ? ['administrator', 'anonymous'] : ['anonymous'];
    for (const reader of roles) {
      readers.push(await compareReader(sides, { ...options, reader, custom }, differences, report));
    }
    if (options.also !== undefined) {
      const also = { ...options, reader: 'user', custom } as const;
      readers.push(await compareReader(options.also, also, differences, report));
    }
    if (sides.there.hasKey) {
      const { ids } = await sides.there.get('product_accessible', idsResponse);
      await compareSettings(sides, ids, custom, differences);
    }
    const users = sides.there.hasKey ? await compareUsers(sides, differences, report) : undefined;
    return {
      source: sides.there.url,
      here: sides.here.url,
      requests: { there: sides.there.requests(), here: sides.here.requests() },
      readers,
      users,
      differences: differences.found(),
      intended: differences.intended(),
      file: options.file,
    };
  } finally {
    await differences.close();
  }
}

/** The names of the custom fields of a Bugzilla. That it does not tell them is a difference: none would be compared. */
async function customFields(bugzilla: Bugzilla, differences: Differences): Promise<string[]> {
  const query = { include_fields: DEFINITION_FIELDS.join(',') };
  const request = bugzilla.get('field/bug', definitionsResponse, { query });
  const response = await unlessRefused(request, ({ message }) => message);
  if (typeof response !== 'string')
    return response.fields.filter(({ is_custom }) => is_custom).map(({ name }) => name);
  const about = { kind: 'fields of bugs', reader: 'administrator', where: 'custom fields' } as const;
  await differences.compare({ ...about, field: 'response', there: response, here: undefined });
  return [];
}

async function compareReader(
  sides: Sides,
  { reader, custom, sample, controlsOf }: VerifyOptions & { reader: Reader; custom: string[] },
  differences: Differences,
  report: (progress: Progress) => void,
): Promise<ComparedReader> {
  const anonymous = reader === 'anonymous';
  const isAll = reader === 'administrator';
  const products = await compareProducts(sides, reader, differences);
  const [there, here] = await Promise.all([
    listBugIds(sides.there, anonymous),
    listBugIds(sides.here, anonymous),
  ]);
  for (const id of new Set([...there.keys(), ...here.keys()])) {
    const kind = there.has(id) ? 'missing here' : isAll ? 'here only' : 'shown here and hidden there';
    const about = { kind, reader, where: `bug ${id}`, field: 'product' } as const;
    await differences.compare({ ...about, there: there.get(id)?.product, here: here.get(id)?.product });
  }
  if (isAll && controlsOf !== undefined) await compareControls(there.values(), controlsOf, differences);
  const common = [...there.keys()].filter((id) => here.has(id)).sort((a, b) => a - b);
  const chosen = evenly(common, sample);
  let done = 0;
  const counts = await compareBugs(sides, chosen, { reader, custom }, differences, (bugs) => {
    done += bugs;
    report({ kind: `bugs, ${reader}`, done, total: chosen.length });
  });
  return { reader, products, shownBugs: { there: there.size, here: here.size }, ...counts };
}

/** Some elements of a list, from all its parts. */
function evenly<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all];
  const step = all.length / max;
  return Array.from({ length: max }, (_, index) => all[Math.floor(index * step)]).filter(
    (one) => one !== undefined,
  );
}

interface ListedBug {
  product: string;
  groups: string[];
}

/** Groups that bugs are in there have to be groups of their products here: else no new bug can be put into them. */
async function compareControls(
  bugs: Iterable<ListedBug>,
  controlsOf: NonNullable<VerifyOptions['controlsOf']>,
  differences: Differences,
): Promise<void> {
  const used = new Map<string, Set<string>>();
  for (const { product, groups } of bugs) {
    const known = used.get(product) ?? new Set<string>();
    used.set(product, known);
    for (const group of groups) known.add(group);
  }
  for (const [product, groups] of used) {
    const here = new Set((await controlsOf(product))?.map(normalizeName));
    for (const group of groups) {
      const there = 'bugs have it';
      const about = { kind: 'products', reader: 'administrator', where: `product '${product}'` } as const;
      const value = here.has(normalizeName(group)) ? there : undefined;
      await differences.compare({ ...about, field: `group '${group}'`, there, here: value });
    }
  }
}

/** All bugs that a server shows, by id; none where it requires login. */
async function listBugIds(bugzilla: Bugzilla, anonymous: boolean): Promise<Map<number, ListedBug>> {
  const found = new Map<number, ListedBug>();
  for (let offset = 0, size = -1; found.size > size; ) {
    size = found.size;
    const query = {
      ...{ f1: 'bug_id', o1: 'greaterthaneq', v1: 1, include_fields: 'id,product,groups', order: 'bug_id' },
      ...{ limit: IDS_PER_REQUEST, offset },
    };
    const request = bugzilla.get('bug', productIdsOfBugsResponse, { query, anonymous });
    const { bugs } = await unlessHidden(request, { bugs: [] });
    for (const { id, ...bug } of bugs) found.set(id, bug);
    offset += bugs.length;
  }
  return found;
}

/** What a server responds; something else where it requires login. */
const unlessHidden = <T>(request: Promise<T>, hidden: T): Promise<T> =>
  unlessRefused(request, (error) => {
    if (error.status === 401) return hidden;
    throw error;
  });

async function compareProducts(
  sides: Sides,
  reader: Reader,
  differences: Differences,
): Promise<{ there: number; here: number }> {
  const anonymous = reader === 'anonymous';
  const counts = { there: 0, here: 0 };
  for (const list of PRODUCT_LISTS) {
    const names = { there: new Set<string>(), here: new Set<string>() };
    for (const side of ['there', 'here'] as const) {
      const { ids } = await unlessHidden(sides[side].get(list, idsResponse, { anonymous }), { ids: [] });
      if (ids.length === 0) continue;
      const query = { ids, include_fields: 'id,name' };
      const { products } = await sides[side].get('product', productNamesResponse, { query, anonymous });
      // A server may list a product without showing it.
      const known = new Map(products.map(({ id, name }) => [id, name]));
      names[side] = new Set(ids.map((id) => known.get(id) ?? `product ${id}`));
    }
    if (list === 'product_accessible') {
      counts.there = names.there.size;
      counts.here = names.here.size;
    }
    for (const name of new Set([...names.there, ...names.here])) {
      const [there, here] = [names.there.has(name), names.here.has(name)];
      const kind = here && reader !== 'administrator' ? 'shown here and hidden there' : 'products';
      await differences.compare({ kind, reader, where: `product '${name}'`, field: list, there, here });
    }
  }
  return counts;
}

async function compareUsers(
  sides: Sides,
  differences: Differences,
  report: (progress: Progress) => void,
): Promise<Verification['users']> {
  const [there, here] = await Promise.all(
    [sides.there, sides.here].map(async (bugzilla) => {
      const list = accountList(bugzilla, () => undefined);
      await list.list(() => report({ kind: 'users', done: list.accounts.size, total: undefined }));
      return list.accounts;
    }),
  );
  if (there === undefined || here === undefined) return undefined;
  const isTold = [...there.values()].some(({ email_enabled }) => email_enabled !== undefined);
  const told = OWN_FIELDS.filter(({ name }) => [...there.values()].some((one) => one[name] !== undefined));
  for (const login of new Set([...there.keys(), ...here.keys()])) {
    const [a, b] = [there.get(login), here.get(login)];
    const about = { kind: 'users', reader: 'administrator', where: `user '${login}'` } as const;
    if (a === undefined || b === undefined) {
      await differences.compare({ ...about, field: 'login', there: a?.name, here: b?.name });
      continue;
    }
    for (const { name: field } of PUBLIC_FIELDS) {
      await differences.compare({ ...about, field, there: a[field], here: b[field] });
    }
    if (!isTold) continue;
    await differences.compare({ ...about, field: 'can_login', there: a.can_login, here: stateOf(b) });
    for (const { name: field } of told) {
      if (field === 'email_enabled' && b.login_denied_text === IMPORTED_UNMAILED) continue;
      await differences.compare({ ...about, field, there: a[field], here: b[field] });
    }
    await differences.compare({ ...about, field: 'groups', there: groupsOf(a), here: groupsOf(b) });
  }
  await compareDescriptions(there, here, differences);
  const groups = (all: ReadonlyMap<string, SourceAccount>) =>
    new Set([...all.values()].flatMap(groupsOf)).size;
  return {
    ...{ there: there.size, here: here.size },
    groups: { there: groups(there), here: groups(here) },
  };
}

/** The descriptions of the groups that users are in. */
async function compareDescriptions(
  there: ReadonlyMap<string, SourceAccount>,
  here: ReadonlyMap<string, SourceAccount>,
  differences: Differences,
): Promise<void> {
  const described = (all: ReadonlyMap<string, SourceAccount>) =>
    new Map(
      [...all.values()].flatMap(({ groups }) =>
        groups.map(({ name, description }) => [normalizeName(name), description] as const),
      ),
    );
  const [thereBy, hereBy] = [described(there), described(here)];
  for (const [group, description] of thereBy) {
    const other = hereBy.get(group);
    // Who is in which group is compared of each user.
    if (other === undefined) continue;
    const about = { kind: 'settings', reader: 'administrator', where: `group '${group}'` } as const;
    await differences.compare({ ...about, field: 'description', there: description, here: other });
  }
}

const groupsOf = ({ groups }: SourceAccount): string[] => groups.map(({ name }) => name).sort();

const stateOf = ({ can_login, login_denied_text }: SourceAccount): unknown =>
  can_login === false && awaitsKey(login_denied_text) ? AWAITS_KEY : can_login;
