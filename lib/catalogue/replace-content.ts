import { mapConcurrent } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { removeBug } from '../bugs/change/remove-bug.ts';
import { lastVisitRepository } from '../bugs/store/last-visits.ts';
import { bugRepository } from '../bugs/store/repository.ts';
import { bugSettingsRepository } from '../bugs/store/settings-repository.ts';
import { DEFAULT_LEGAL_VALUES } from '../bugs/values.ts';
import { DEFAULT_STATUSES } from '../bugs/workflow.ts';
import { watchRepository } from '../changes/watches/repository.ts';
import { removeAccount, removeGroup } from '../people/remove-people.ts';
import { savedSearchRepository } from '../people/saved-searches/repository.ts';
import { classificationRepository } from '../products/classification-repository.ts';
import { removeProduct, vacateName } from '../products/remove-product.ts';
import { openBugIndex } from '../search/index/bug-index.ts';
import type { Table } from '../table/client.ts';
import type { ScanReport } from '../table/read.ts';
import { bugSignature } from './canonical.ts';
import { tableEntries } from './export.ts';
import { parseCatalogue } from './read.ts';
import type { Catalogue } from './schema.ts';

// An import makes a table, which takes no writes meanwhile, equal to a catalogue: what differs is removed first, so that no names
// collide, and nobody sees what is not written yet by rights that it had; then the catalogue is applied as a whole (`isWhole`).

/** What a table has. */
export interface TableContent {
  settings: Catalogue;
  /** the signatures of the bugs by their ids; '' where an interrupted run has left parts of one */
  bugs: Map<number, string>;
}

/**
 * Reads the content of a table, with one scan.
 *
 * @param dataOf what is compared of the data of an attachment
 * @param signatureOf what is kept of the signature of a bug
 */
export async function readContent(
  table: Table,
  dataOf: (attachment: { size: number; read(): Promise<Buffer> }) => unknown,
  report?: ScanReport,
  signatureOf: (signature: string) => string = (signature) => signature,
): Promise<TableContent> {
  const bugs = new Map<number, string>();
  let settings: unknown = {};
  for await (const entry of tableEntries(table, report)) {
    if ('settings' in entry) settings = entry.settings;
    else if ('remains' in entry) bugs.set(entry.remains, '');
    else {
      const attachments = [];
      for (const one of entry.attachments)
        attachments.push({ ...one.fields, bug_id: undefined, data: await dataOf(one) });
      bugs.set(entry.id, signatureOf(bugSignature(entry.bug, attachments)));
    }
  }
  const { field_values, ...others } = parseCatalogue(settings);
  const values = { ...DEFAULT_LEGAL_VALUES, bug_status: [...DEFAULT_STATUSES], ...field_values };
  return { settings: { ...others, field_values: values }, bugs };
}

/**
 * Removes what a table has and a catalogue has not, and what has another name there.
 *
 * @param content of the table, as it was read
 * @param bugs ids of those that are not in the catalogue, or differ there
 */
export async function removeOthers(
  table: Table,
  content: TableContent,
  catalogue: Catalogue,
  bugs: readonly number[],
  report: (done: number) => void = () => undefined,
): Promise<void> {
  let removed = 0;
  await mapConcurrent(bugs, async (id) => {
    await removeBug(table, id);
    removed += 1;
    report(removed);
  });
  const { now } = table;
  if (bugs.length > 0) await openBugIndex(table, bugRepository(table, now), now, true).rebuild();
  const { settings } = content;
  await removeUsers(table, settings, catalogue);
  const groups = new Map(catalogue.groups.map(({ id, name }) => [id, name]));
  for (const { id, name } of settings.groups) if (groups.get(id) !== name) await removeGroup(table, name);
  const keywords = new Set(catalogue.keywords.map(({ name }) => name));
  for (const { name } of settings.keywords) {
    if (!keywords.has(name)) await bugSettingsRepository(table).removeKeyword(name);
  }
  const classifications = new Map(catalogue.classifications.map(({ id, name }) => [id, name]));
  for (const { id, name } of settings.classifications) {
    if (classifications.get(id) !== name) await classificationRepository(table).remove(name);
  }
  await removeProducts(table, settings, catalogue);
}

async function removeUsers(table: Table, settings: Catalogue, catalogue: Catalogue): Promise<void> {
  const logins = new Map(catalogue.users.map(({ id, login }) => [id, login]));
  const watches = watchRepository(table);
  const visits = lastVisitRepository(table);
  const searches = savedSearchRepository(table);
  for (const { id = 0, login, last_visits } of settings.users) {
    if (logins.get(id) === login) continue;
    await removeAccount(table, login);
    if (logins.has(id)) continue;
    await watches.write(await watches.of(id), []);
    const existing = await searches.of(id);
    if (existing.revision > 0) {
      await searches.write([{ existing, desired: { searches: [], last_id: 0 }, isRemoved: true }]);
    }
    await visits.remove(
      id,
      last_visits.map(({ bug }) => bug),
    );
  }
}

/** Removes products that are gone, and those names that others have taken. */
async function removeProducts(table: Table, settings: Catalogue, catalogue: Catalogue): Promise<void> {
  const names = new Map(catalogue.products.map(({ id, name }) => [id, name]));
  const taken = new Map(catalogue.products.map(({ id, name }) => [normalizeName(name), id]));
  for (const { id = 0, name } of settings.products) {
    const holder = taken.get(normalizeName(name));
    if (!names.has(id)) await removeProduct(table, id);
    else if (holder !== undefined && holder !== id) await vacateName(table, id);
  }
}
