import { mapConcurrent, portions } from '../../lib/base/collections.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { timestamp } from '../../lib/base/time.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { type BugSettings, bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import type { Catalogue, Problem as CatalogueProblem } from '../../lib/catalogue/schema.ts';
import type { Summary } from '../../lib/catalogue/summary.ts';
import { bugChecker } from '../../lib/catalogue/validation.ts';
import type { Renames } from '../../lib/people/renames.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { bugsOf } from '../../lib/search/index/view.ts';
import type { Table } from '../../lib/table/client.ts';
import { UsageError } from '../admin/context.ts';
import type { Progress } from '../admin/progress.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import {
  type ClosingOptions,
  closeTable,
  isClosedFor,
  openTableAgain,
  planClosing,
  requireOwnBugs,
} from './closing.ts';
import { digestOf, readBug } from './copy-bug.ts';
import { copyFields } from './copy-fields.ts';
import { copyProduct, type ImportContext, isRestricted } from './copy-product.ts';
import { flagHolders, takenFlags } from './flag-holders.ts';
import { keepStatuses, type RenamedGroups, removeGone, renameGroups } from './follow-renames.ts';
import { findHiddenBugs, findMissingGroups, Hidden, Lost } from './hidden.ts';
import { type ImportFile, lockImportFile, openImportFile } from './import-file.ts';
import { inferControls } from './infer-controls.ts';
import { type LastRun, NO_RUN, seenIn } from './last-run.ts';
import { type BugRange, listBugs, scanBugs } from './list-bugs.ts';
import { notesOf } from './notes.ts';
import { COLLISIONS, HIDDEN_COMMENTS, type Problem, ProblemList } from './problems.ts';
import { type Access, RESTRICTED, readAccess } from './product-access.ts';
import { listAttachments, NOT_RETURNED } from './read-attachments.ts';
import { readHistories } from './read-histories.ts';
import { hiddenProducts, release, restrict } from './restrict.ts';
import { type RightsGroup, RightsList } from './rights-list.ts';
import { reasonOf } from './sanitize.ts';
import { SeenGroups } from './seen-groups.ts';
import { emptySettings, type ImportSettings, settle } from './settings.ts';
import { shownComments } from './source-comments.ts';
import { sourceGroups } from './source-groups.ts';
import { BUG_FIELDS, productNamesResponse, type SourceBug, versionResponse } from './source-schema.ts';
import { NO_RENAMES, type SourceUsers, sourceUsers, type UserRenames } from './source-users.ts';

/** What to copy. */
export interface ImportOptions extends BugRange, ClosingOptions {
  /** the catalogue file that is written and applied; what it has already is not requested again */
  file: string;
  /** names; empty: all products that the owner of the API key can access */
  products: string[];
  /** also request bugs whose `last_change_time` is that of the file */
  everything: boolean;
  /** the login of the owner of the API key; undefined: Bugzilla shows it */
  as: string | undefined;
  /** copy what the owner of the API key may see, though something is hidden */
  partial: boolean;
  /** whether a group gives rights here */
  givesRights: (group: string) => boolean;
  /** whether the deployment requires login */
  requiresLogin: boolean;
  /** give imported users the groups that give rights here */
  grantRights: boolean;
  /** waits, in milliseconds, until earlier versions of Bugless have seen that they may not use the table */
  pause: (ms: number) => Promise<unknown>;
  /** receives the number of bugs that have to be read, as far as it is known, before the first of them is */
  onCount: (bugs: number) => void;
  /** waits, in milliseconds, until every process refuses requests that write */
  untilClosed: (ms: number) => Promise<unknown>;
}

export interface ImportResult {
  source: string;
  version: string;
  requests: number;
  /** the catalogue file */
  file: string;
  summary: Summary;
  /** bugs skipped because they have not changed since an earlier run applied them */
  unchangedBugs: number;
  /** whether requests that write are refused now, until the import ends */
  isClosed: boolean;
  /** whether they are served again */
  isOpened: boolean;
  /** the login of the owner of the API key; undefined: without a key */
  reader: string | undefined;
  /** what the reader may not see: there may be more */
  hidden: string[];
  /** users in groups that give rights here, which they did not have before */
  rights: { isGranted: boolean; groups: RightsGroup[] };
  problems: ReturnType<ProblemList['grouped']>;
  /** what is never copied, and manual steps */
  notes: string[];
}

/** Of the first request: a mistyped URL fails fast. */
const FIRST_REQUEST_ATTEMPTS = 2;
const CONCURRENT_BUGS = 4;

/**
 * Copies fields, products, bugs, comments, attachments and histories from a running Bugzilla, with their ids: converts
 * them to a catalogue file, and applies it. A repeated run requests only bugs that have changed since they were written
 * to the file, and applies only bugs that were not applied, or that the table does not have.
 *
 * @throws what bugzilla.signIn throws, and bugzilla.get for requests that are not for a single bug
 * @throws Error when a product of the options does not exist
 * @throws UsageError when Bugzilla requires login, and the deployment does not
 * @throws UsageError when something is hidden from the owner of the API key, who may not be known, without `partial`
 * @throws UsageError when Bugzilla shows fewer bugs, or comments of a bug, than in an earlier run, without `partial`
 * @throws UsageError when another import writes the same file
 * @throws what planClosing throws, before anything is requested
 */
export async function importBugzilla(
  table: Table,
  bugzilla: Bugzilla,
  options: ImportOptions,
  report: (progress: Progress) => void = () => undefined,
): Promise<ImportResult> {
  using _lock = await lockImportFile(options.file);
  const closing = await planClosing(table, bugzilla.url, options);
  const problems = new ProblemList();
  const hidden = new Hidden();
  const rights = new RightsList(options.givesRights, options.grantRights);
  const settings = emptySettings();
  const groups = sourceGroups({ table, settings, problems }, bugzilla);
  const controls: ImportContext['controls'] = { restrictions: [], releases: [] };
  const renamedGroups: RenamedGroups = new Map();
  const context: ImportContext = {
    ...{ table, bugzilla, problems, settings, groups, hidden, controls, renamedGroups },
    ...{ before: NO_RUN, into: options.into, foreign: new Set() },
  };
  const users = sourceUsers({ ...context, rights });
  const { version } = await bugzilla.get('version', versionResponse, { maxAttempts: FIRST_REQUEST_ATTEMPTS });
  const refuseHidden = () => {
    if (reader !== undefined && !options.partial) hidden.refuse(reader);
  };
  const listUsers = () => users.list((done) => report({ kind: 'users', done, total: undefined }));
  const reader = bugzilla.hasKey ? await signIn(bugzilla, users, listUsers, options.as, hidden) : undefined;
  refuseHidden();
  const access = await readAccess(bugzilla);
  if (access.anonymous === undefined && !options.requiresLogin) throw new UsageError(loginRequired(bugzilla));
  await copyFields(context, bugzilla);
  const ids = await wantedProducts(bugzilla, access, options.products);
  // Ids of users are those of one Bugzilla, and the table may have users of another one.
  const renames = options.into ? NO_RENAMES : await users.findRenames();
  const readAt = timestamp(table.now());
  const file = await openImportFile(options.file, bugzilla.url, reader ?? '', readAt, renames.former);
  try {
    if (closing.needsOwnBugs) await requireOwnBugs(table, file);
    const closedAt = closing.isNeeded ? Date.now() + (await closeTable(table, bugzilla.url)) : 0;
    context.before = file.before;
    context.renamedGroups = await renameGroups(
      table,
      file.before,
      groups.known(),
      (name) => options.grantRights || !options.givesRights(name),
      problems,
    );
    const statuses = await keepStatuses(table, settings);
    addObsolete(settings, file.before, await bugSettingsRepository(table).read());
    for (const [index, id] of ids.entries()) {
      await copyProduct(context, access, id);
      report({ kind: 'products', done: index + 1, total: ids.length });
    }
    if (options.products.length === 0) {
      controls.restrictions.push(...(await hiddenProducts(context, access, file.before)));
    }
    const names = settings.products.map(({ name }) => name);
    const scanned = await scanBugs(bugzilla, names, options);
    const isOwn = (bug: number) => !options.into || file.known.has(bug);
    await restrict(context, controls.restrictions, scanned, isOwn);
    await settle(context);
    for (const { name } of settings.products.filter(isRestricted)) {
      const why = `it is not public in Bugzilla; here it requires the group ${RESTRICTED}`;
      problems.add({ kind: 'products with inferred access', where: `product '${name}'`, why });
    }

    const seenGroups = new SeenGroups();
    const onBug = (bug: SourceBug) => seenGroups.add(bug);
    const reading = { ...options, reader, count: scanned?.size, onBug };
    const { wanted, unchanged, seen, showsTags } = await readBugs(context, users, file, reading, report);
    if (reader !== undefined) {
      for (const id of await findHiddenBugs(bugzilla, seen, options)) hidden.bugs.add(id);
      // Bugs may name users beyond those that were listed.
      await listUsers();
      refuseHidden();
      await users.rename(renames.first);
      await users.add(renames.later);
    }
    const inferred = await inferControls(context, access, seenGroups, users.isMember, file.before);
    const catalogue = await settle(context);
    if (closedAt > Date.now()) await options.untilClosed(closedAt - Date.now());
    const logins = new Map(renames.former.map(({ login, now }) => [normalizeName(login), now]));
    const applied = {
      catalogue,
      wanted,
      pause: options.pause,
      into: options.into,
      renames: logins,
      showsTags,
    };
    const summary = await applyFile(context, file, applied, report);
    const [kept, free] = await dividedRenames(table, file, renames.later);
    users.refuseRenames(kept);
    await users.rename(free);
    await removeGone(table, settings, file.before, statuses, problems);
    // Groups of bugs that this run has not looked at may be new.
    const isRange = options.fromBug > 1 || options.toBug < Number.POSITIVE_INFINITY;
    if (!isRange && !options.partial && scanned !== undefined) await release(table, controls.releases);
    const own = settings.products.filter(({ id }) => !context.foreign.has(id ?? 0));
    await file.complete(catalogue, seenIn({ ...settings, products: own }, groups.known(), inferred));
    if (options.final) await openTableAgain(table, bugzilla.url, 'final');
    return {
      source: bugzilla.url,
      version,
      requests: bugzilla.requests(),
      file: options.file,
      summary,
      unchangedBugs: unchanged,
      isClosed: await isClosedFor(table, bugzilla.url),
      isOpened: options.final,
      reader,
      hidden: hidden.lines(),
      rights: { isGranted: rights.isGranted, groups: rights.groups() },
      problems: problems.grouped(),
      notes: notesOf(bugzilla, access, hidden),
    };
  } finally {
    await file.close();
  }
}

const loginRequired = ({ url }: Bugzilla): string =>
  `${url} requires login, and this deployment shows everybody what is public. Nothing was copied. Deploy with REQUIRE_LOGIN=true first, and name the stack with --stack, or set REQUIRE_LOGIN=true here as there`;

/** Proves that the API key is read. @returns the login of its owner */
async function signIn(
  bugzilla: Bugzilla,
  users: SourceUsers,
  listUsers: () => Promise<void>,
  as: string | undefined,
  hidden: Hidden,
): Promise<string> {
  await bugzilla.signIn();
  await listUsers();
  const reader = await users.findReader(as);
  await findMissingGroups(bugzilla, hidden, (group) => users.isMember(reader, group));
  return reader;
}

/**
 * Writes the bugs that have changed to the file.
 *
 * @throws UsageError when Bugzilla shows less of the bugs of the file than an earlier run has read, without `partial`
 * @returns the ids of the bugs to be applied, the number of those that need not, and the ids of all
 */
async function readBugs(
  context: ImportContext,
  users: SourceUsers,
  file: ImportFile,
  options: ImportOptions & {
    reader: string | undefined;
    /** how many bugs there are; undefined: not known */
    count: number | undefined;
    /** receives each bug that is listed */
    onBug: (bug: SourceBug) => void;
  },
  report: (progress: Progress) => void,
): Promise<{ wanted: Set<number>; unchanged: number; seen: Set<number>; showsTags: boolean }> {
  const { table, bugzilla, problems, settings, groups, hidden } = context;
  const customTypes = new Map(settings.bug_fields.map(({ name, type }) => [name, type]));
  const products = settings.products.map(({ name }) => name);
  const fields = [...BUG_FIELDS, ...customTypes.keys()].join(',');
  const wanted = new Set<number>();
  const seen = new Set<number>();
  const lost = new Lost();
  const { count } = options;
  if (count !== undefined) options.onCount(options.everything ? count : Math.max(0, count - file.known.size));
  let [done, unchanged] = [0, 0];
  let showsTags = false;

  function addProblems(id: number, all: readonly Problem[]): void {
    problems.add(...all);
    if (all.some(({ kind }) => kind === HIDDEN_COMMENTS)) hidden.comments.add(id);
  }

  /** Whether the file has the bug in its current state. Its problems are reported again. */
  function isInFile(bug: SourceBug): boolean {
    const { id, last_change_time } = bug;
    const known = file.known.get(id);
    if (options.everything || known?.last_change_time !== last_change_time) return false;
    if (known.digest !== digestOf(bug)) return false;
    // Another reader may see more of it, and the same one, when their rights were repaired.
    const isPartial = known.problems.some(({ kind }) => kind === HIDDEN_COMMENTS);
    if (known.reader !== (options.reader ?? '') || isPartial) return false;
    addProblems(id, known.problems);
    return true;
  }

  for await (const { bugs, invalid } of listBugs(bugzilla, products, fields, options)) {
    for (const { id } of [...bugs, ...invalid]) if (id !== undefined) seen.add(id);
    for (const { id, why } of invalid) {
      const where = id === undefined ? 'a bug without a valid id' : `bug ${id}`;
      problems.add({ kind: 'bugs not copied', where, why });
    }
    const progress = (more: number) => {
      done += more;
      // Bugs may have been added since they were counted.
      const total = count === undefined ? undefined : Math.max(count, done);
      report({ kind: 'bugs requested', done, total });
    };
    for (const bug of bugs) {
      hidden.hasHours ||= bug['estimated_time'] === undefined;
      users.collect(bug);
      options.onBug(bug);
    }
    const applied = bugs.flatMap(({ id }) => (file.known.get(id)?.is_applied ? [id] : []));
    const stored = await bugRepository(table, table.now).byIds(applied);
    const { changed = [], known = [] } = Object.groupBy(bugs, (bug) => (isInFile(bug) ? 'known' : 'changed'));
    const unapplied = known.filter(({ id }) => !stored.has(id));
    unchanged += known.length - unapplied.length;
    for (const { id } of unapplied) wanted.add(id);
    progress(known.length);
    const histories = await readHistories(bugzilla, changed);
    const attachments = await listAttachments(
      bugzilla,
      changed.map(({ id }) => id),
    );
    for (const some of portions(changed, { max: CONCURRENT_BUGS })) {
      const copies = await mapConcurrent(some, (bug) => {
        const parts = {
          history: histories.get(bug.id),
          attachments: attachments.get(bug.id) ?? { why: NOT_RETURNED },
        };
        return readBug(context, bug, parts, customTypes);
      });
      for (const copy of copies) {
        if (copy === undefined) continue;
        const before = file.known.get(copy.id)?.comments ?? 0;
        if (lost.isLess(copy.id, before, shownComments(copy.bug.comments)) && !options.partial) continue;
        showsTags ||= copy.showsTags;
        await file.add(copy.id, copy.bug, copy);
        addProblems(copy.id, copy.problems);
        wanted.add(copy.id);
      }
      progress(some.length);
    }
    const names = [...unapplied, ...changed].flatMap((bug) => bug.groups);
    for (const name of new Set(names)) await groups.ensureName(name);
  }
  // With --product, a bug may have moved to another product.
  if (options.products.length === 0) {
    const { fromBug, toBug } = options;
    lost.addBugs([...file.known.keys()].filter((id) => id >= fromBug && id <= toBug && !seen.has(id)));
  }
  if (!options.partial) lost.refuse();
  return { wanted, unchanged, seen, showsTags };
}

/** What is applied of a file. */
interface Applied {
  catalogue: Catalogue;
  wanted: Set<number>;
  pause: ImportOptions['pause'];
  into: boolean;
  renames: Renames;
  showsTags: boolean;
}

/** Applies the file, and leaves out bugs that contradict each other or the table. */
async function applyFile(
  { table, problems }: ImportContext,
  file: ImportFile,
  { catalogue, wanted, pause, into, renames, showsTags }: Applied,
  report: (progress: Progress) => void,
): Promise<Summary> {
  const refuse = (id: number, found: CatalogueProblem[]) => {
    const kind = found.some(({ isCollision }) => isCollision) ? COLLISIONS : 'bugs not copied';
    problems.add({ kind, where: `bug ${id}`, why: reasonOf(found, 0) });
    wanted.delete(id);
    file.known.delete(id);
  };
  // An untrusted server may give several bugs the same alias, or comment.
  const check = bugChecker();
  // No item says which bug has a flag.
  const holders = into ? await flagHolders(table) : undefined;
  for await (const bug of file.bugs(wanted)) {
    check(bug, [], (path, message) => refuse(bug.id ?? 0, [{ path, message }]));
    const taken = holders === undefined ? [] : takenFlags(bug, holders);
    if (taken.length > 0) refuse(bug.id ?? 0, taken);
  }
  const summary = await applyCatalogue(
    table,
    { ...catalogue, bugs: file.bugs(new Set(wanted)) },
    {
      report,
      pause,
      renameParts: true,
      renames,
      // Where requests go on writing, comments may be of this side.
      isExact: !into,
      keepsTags: !showsTags,
      leaveOut: ({ id = 0 }, found) => refuse(id, found),
    },
  );
  for (const id of wanted) {
    const bug = file.known.get(id);
    if (bug !== undefined) bug.is_applied = true;
  }
  return summary;
}

/** The renames to logins that bugs name which still mean another user, and the others. */
async function dividedRenames(
  table: Table,
  file: ImportFile,
  renames: UserRenames['later'],
): Promise<[kept: UserRenames['later'], free: UserRenames['later']]> {
  if (renames.length === 0) return [[], []];
  const named = new Set<string>();
  const index = openBugIndex(table, bugRepository(table, table.now), table.now, false);
  for (const { id, value } of bugsOf(await index.read(() => true))) {
    if ((file.known.get(id)?.last_change_time ?? '') !== '') continue;
    for (const field of ['reporter', 'assigned_to', 'qa_contact', 'cc']) {
      for (const login of [value(field) ?? []].flat()) named.add(normalizeName(String(login)));
    }
  }
  const isNamed = ({ login }: { login: string }) => named.has(normalizeName(login));
  return [renames.filter(isNamed), renames.filter((one) => !isNamed(one))];
}

/** Adds the custom fields that an earlier run saw, and Bugzilla does not show any more, as obsolete ones. */
function addObsolete({ bug_fields }: ImportSettings, { fields }: LastRun, { custom }: BugSettings): void {
  const shown = new Set(bug_fields.map(({ name }) => name));
  // Where Bugzilla shows none, it did not tell.
  if (shown.size === 0) return;
  const gone = custom.filter(({ name }) => fields.includes(name) && !shown.has(name));
  bug_fields.push(...gone.map((field) => ({ ...field, is_obsolete: true })));
}

async function wantedProducts(bugzilla: Bugzilla, access: Access, names: string[]): Promise<number[]> {
  if (names.length === 0) return access.products;
  const { products } = await bugzilla.get('product', productNamesResponse, {
    query: { names, include_fields: 'id,name' },
  });
  const found = new Set(products.map(({ name }) => normalizeName(name)));
  const missing = names.filter((name) => !found.has(normalizeName(name)));
  if (missing.length > 0)
    throw new Error(`${bugzilla.url} does not show a product '${missing.join("', '")}'`);
  return products.map(({ id }) => id).sort((a, b) => a - b);
}
