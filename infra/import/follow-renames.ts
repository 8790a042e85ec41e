import { normalizeName } from '../../lib/base/text.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import type { StatusRow } from '../../lib/bugs/workflow.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { groupRepository, renameGroup } from '../../lib/people/group-repository.ts';
import { desiredOf, productDocumentRepository } from '../../lib/products/document-repository.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { bugsOf } from '../../lib/search/index/view.ts';
import type { Table } from '../../lib/table/client.ts';
import { lastId } from '../../lib/table/counters.ts';
import { UsageError } from '../admin/context.ts';
import type { LastRun } from './last-run.ts';
import { OTHER_NAME, type ProblemList } from './problems.ts';
import { emptySettings, type ImportSettings, settle } from './settings.ts';

/** What bugs of the table use: values of fields, by the names of the attributes that the search index has. */
async function usedValues(table: Table, attributes: readonly string[]): Promise<Map<string, Set<unknown>>> {
  const used = new Map(attributes.map((name) => [name, new Set<unknown>()]));
  // Without a bug there is no search index.
  if ((await lastId(table, 'bug')) === 0) return used;
  const index = openBugIndex(table, bugRepository(table, table.now), table.now, false);
  for (const { value } of bugsOf(await index.read(() => true))) {
    for (const [name, all] of used) {
      const given = value(name);
      for (const one of [given ?? []].flat()) all.add(one);
    }
  }
  return used;
}

/**
 * Keeps the statuses that bugs of the table have and Bugzilla does not have any more, as after a rename: inactive ones, until their bugs
 * were written.
 *
 * @returns the statuses that Bugzilla has; undefined: none has to be kept
 */
export async function keepStatuses(table: Table, settings: ImportSettings): Promise<StatusRow[] | undefined> {
  const rows = settings.field_values['bug_status'];
  if (!isStatusRows(rows)) return undefined;
  const names = new Set(rows.map(({ name }) => normalizeName(name)));
  const { workflow } = await bugSettingsRepository(table).read();
  const used = (await usedValues(table, ['status'])).get('status') ?? new Set();
  const kept = workflow.statuses.filter(({ name }) => used.has(name) && !names.has(normalizeName(name)));
  if (kept.length === 0) return undefined;
  const inactive = kept.map((row): StatusRow => ({ ...row, is_active: false, can_change_to: [] }));
  settings.field_values['bug_status'] = [...rows, ...inactive];
  return rows;
}

const isStatusRows = (rows: readonly string[] | readonly StatusRow[] | undefined): rows is StatusRow[] =>
  rows?.every((row) => typeof row === 'object') ?? false;

/** Groups that Bugzilla has under another name, by the former one, normalized. */
export type RenamedGroups = ReadonlyMap<string, string>;

/**
 * Renames groups as Bugzilla has renamed them, which their ids tell: who is in them, and what names them, follows with users, products
 * and bugs.
 *
 * @param now names of groups, by their ids there
 * @param mayRename whether a group may get a name
 * @throws UsageError where a group has the name that another one had in the last run: bugs of both would be of one
 */
export async function renameGroups(
  table: Table,
  before: LastRun,
  now: ReadonlyMap<number, string>,
  mayRename: (name: string) => boolean,
  problems: ProblemList,
): Promise<RenamedGroups> {
  refuseTaken(before, now);
  const renamed = new Map<string, string>();
  const repository = groupRepository(table);
  for (const [id, name] of now) {
    const former = before.groups[id];
    if (former === undefined || former === name) continue;
    const [group] = await repository.byNames([former]);
    const [holder] = await repository.byNames([name]);
    const isSpelling = normalizeName(former) === normalizeName(name);
    if (isSpelling) continue;
    if (!mayRename(name)) {
      const why = `was '${former}': members of '${name}' have rights here, which this import does not give`;
      problems.add({ kind: OTHER_NAME, where: `group '${name}'`, why });
      continue;
    }
    renamed.set(normalizeName(former), name);
    const why = `was '${former}': name it so where settings of this deployment name it`;
    problems.add({ kind: OTHER_NAME, where: `group '${name}'`, why });
    if (group !== undefined && holder === undefined) await renameGroup(table, group, name);
  }
  return renamed;
}

/** @throws UsageError as `renameGroups`, which has written nothing then */
function refuseTaken({ groups }: LastRun, now: ReadonlyMap<number, string>): void {
  const left = new Set(
    [...now].flatMap(([id, name]) => {
      const former = groups[id];
      return former === undefined || normalizeName(former) === normalizeName(name)
        ? []
        : [normalizeName(former)];
    }),
  );
  for (const [id, name] of now) {
    const former = groups[id];
    const isRenamed = former !== undefined && normalizeName(former) !== normalizeName(name);
    if (isRenamed && left.has(normalizeName(name))) throw new UsageError(groupTaken(former, name));
  }
}

const groupTaken = (former: string, name: string): string =>
  `In Bugzilla the group '${former}' has become '${name}', as another group was called in the last run. Nothing was copied. Name it otherwise in Bugzilla, import, and name it '${name}' then`;

/**
 * Removes what Bugzilla does not have any more and no bug uses, after bugs were written: statuses, keywords, and parts of products. What
 * is of this side only stays.
 *
 * @param before what the last run saw, by which it is told
 * @param statuses those that Bugzilla has, where others were kept
 */
export async function removeGone(
  table: Table,
  settings: ImportSettings,
  before: LastRun,
  statuses: StatusRow[] | undefined,
  problems: ProblemList,
): Promise<void> {
  if (statuses !== undefined) {
    const exact = { ...emptySettings(), field_values: { bug_status: statuses } };
    await applyCatalogue(table, await settle({ table, settings: exact, problems }));
  }
  const keywords = new Set(settings.keywords.map(({ name }) => normalizeName(name)));
  const lost = before.keywords.filter((name) => keywords.size > 0 && !keywords.has(normalizeName(name)));
  const gone = goneParts(settings, before, problems);
  if (lost.length + gone.size === 0) return;
  const used = await usedValues(table, ['keywords', 'component_id', 'version', 'target_milestone']);
  const isUsed = (attribute: string, value: unknown) => used.get(attribute)?.has(value) === true;
  for (const name of lost) {
    if (!isUsed('keywords', name)) await bugSettingsRepository(table).removeKeyword(name);
  }
  const stored = await productRepository(table).allWithParts([...gone.keys()]);
  const saves = stored.map((existing) => {
    const isGone = gone.get(existing.product.id) ?? new Set();
    const { product, components, versions, milestones, flagTypes } = desiredOf(existing);
    const desired = {
      product,
      components: components.filter(
        ({ id }) => !isGone.has(`components ${id}`) || isUsed('component_id', id),
      ),
      versions: versions.filter(({ id, name }) => !isGone.has(`versions ${id}`) || isUsed('version', name)),
      milestones: milestones.filter(
        ({ id, name }) =>
          !isGone.has(`milestones ${id}`) ||
          name === product.default_milestone ||
          isUsed('target_milestone', name),
      ),
      // Flags go with their type in Bugzilla, and so from its bugs here.
      flagTypes: flagTypes.filter(({ id }) => !isGone.has(`flag_types ${id}`)),
    };
    return { existing, desired };
  });
  await productDocumentRepository(table).save(saves);
}

/** Parts of which a product has one at least, if it has bugs. */
const ALWAYS = ['components', 'versions', 'milestones'] as const;
const KINDS = [...ALWAYS, 'flag_types'] as const;

/**
 * The parts of products that the last run saw and this one did not, by the ids of the products. Where Bugzilla shows none of a
 * kind, it has left parts out.
 */
function goneParts(
  { products }: ImportSettings,
  before: LastRun,
  problems: ProblemList,
): Map<number, Set<string>> {
  const gone = new Map<number, Set<string>>();
  for (const seen of before.products) {
    const now = products.find(({ id }) => id === seen.id);
    if (now === undefined) continue;
    const [lost] = ALWAYS.filter((kind) => now[kind].length === 0 && seen[kind].length > 0);
    if (lost !== undefined) {
      const where = `product '${now.name}'`;
      const why = `Bugzilla shows none of its ${lost} any more; its parts here stay`;
      problems.add({ kind: 'parts of products and bugs not copied', where, why });
      continue;
    }
    const missing = KINDS.flatMap((kind) => {
      const ids = new Set(now[kind].map(({ id }) => id));
      return seen[kind].filter((id) => !ids.has(id)).map((id) => `${kind} ${id}`);
    });
    if (missing.length > 0) gone.set(seen.id, new Set(missing));
  }
  return gone;
}
