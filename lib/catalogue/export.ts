import * as z from 'zod';
import { compareNames, normalizeName } from '../base/text.ts';
import { type AttachmentRepository, attachmentRepository } from '../bugs/attachments/repository.ts';
import { attachmentItem } from '../bugs/attachments/schema.ts';
import { tagItem } from '../bugs/comment-tags/repository.ts';
import { commentItem } from '../bugs/comments/schema.ts';
import type { BugField } from '../bugs/fields/field.ts';
import type { StoredValue } from '../bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName, storedValue } from '../bugs/fields/registry.ts';
import { namedFlags } from '../bugs/flags/set-flags.ts';
import { type BugItem, bugItem, historyItem, keywordItem } from '../bugs/schema.ts';
import { lastVisitItem } from '../bugs/store/last-visits.ts';
import { bugSettings } from '../bugs/store/settings-repository.ts';
import { type WatchesItem, watchesItem } from '../changes/watches/schema.ts';
import { NOTHING_OFF, storedMailOff } from '../people/mail-preferences.ts';
import { type SavedSearch, savedSearchesItem } from '../people/saved-searches/validation.ts';
import {
  type GroupItem,
  groupItem,
  type MailedUser,
  mailedUserItem,
  type UserItem,
  userApiKeyItem,
} from '../people/schema.ts';
import { type BugPlace, knownProduct, placeOf } from '../products/place.ts';
import { everyProduct, productRepository } from '../products/repository.ts';
import {
  availableTypes,
  classificationItem,
  componentItem,
  type FlagTypeItem,
  flagTypeItem,
  type ProductWithParts,
  productFields,
  releaseItem,
} from '../products/schema.ts';
import type { Table } from '../table/client.ts';
import { anyItem, type Item, type ScanReport, scanPages } from '../table/read.ts';
import { exportWatches } from './export-watches.ts';
import { lineOf } from './lines.ts';
import { repairedText } from './repaired-text.ts';

/**
 * Exports the table as the lines of a catalogue file. Applied to an empty table, they give the same responses to every
 * request, but for texts of bugs that an earlier version stored against the present rules (repairedText). API keys are
 * exported as hashes. The table is scanned once and bugs are streamed, so that memory holds one bug, the products and
 * the small lists; the settings, which are known at the end of the scan, are the last line.
 */
export async function* exportCatalogue(table: Table, report?: ScanReport): AsyncGenerator<string> {
  for await (const entry of tableEntries(table, report)) {
    if ('settings' in entry) yield lineOf(entry.settings);
    if (!('bug' in entry)) continue;
    yield lineOf({ bug: entry.bug });
    for (const { fields, read } of entry.attachments) {
      yield lineOf({ attachment: { ...fields, data: (await read()).toString('base64') } });
    }
  }
}

/** An attachment without its data, which is read when it is needed. */
interface ExportedAttachment {
  fields: object;
  /** of the data in bytes */
  size: number;
  read(): Promise<Buffer>;
}

/** What the table has, as entries of a catalogue. */
export type TableEntry =
  | { id: number; bug: object; attachments: ExportedAttachment[] }
  /** of a bug that an interrupted run of apply, or of an import, has left */
  | { remains: number }
  /** the last one */
  | { settings: object };

/** The content of the table. The table is scanned once. */
export async function* tableEntries(
  table: Table,
  report: ScanReport = () => undefined,
): AsyncGenerator<TableEntry> {
  const all = await Array.fromAsync(everyProduct(productRepository(table)));
  const products = new Map(all.map((one) => [one.product.id, one]));
  const known = new Map([...products].map(([id, product]) => [id, knownProduct(product)]));
  const lists = new ListCollector();
  const attachments = attachmentRepository(table, table.now);
  for await (const partition of bugPartitions(table, lists, report)) {
    const stored = partition.find(({ sk }) => sk === 'BUG');
    if (stored === undefined) {
      yield { remains: Number(partition[0]?.pk.slice('BUG#'.length)) };
      continue;
    }
    const bug = bugItem.parse(stored);
    const product = products.get(bug.product_id);
    const typesOf = (target: FlagTypeItem['target']) =>
      availableTypes(product?.flagTypes ?? [], target, bug.component_id);
    const flags = namedFlags(bug.flags, typesOf('bug'));
    yield {
      id: bug.id,
      bug: { ...exportBug(bug, placeOf(bug, known.get(bug.product_id)), partition, lists), flags },
      attachments: exportAttachments(partition, attachments, typesOf('attachment')),
    };
  }
  const { custom_fields, ...field_values } = lists.settings ?? {};
  yield {
    settings: {
      ...lists.lists(products),
      products: [...products.values()].map(exportProduct),
      ...(lists.settings === undefined ? {} : { field_values, bug_fields: custom_fields }),
    },
  };
}

/** The attachments of a bug. */
const exportAttachments = (
  partition: readonly Item[],
  attachments: AttachmentRepository,
  types: readonly FlagTypeItem[],
): ExportedAttachment[] =>
  partition
    .filter(({ sk }) => sk.startsWith('ATTACHMENT#'))
    .map((content) => {
      const item = attachmentItem.parse(content);
      const { size, parts: _, revision: __, ...fields } = item;
      const read = () => attachments.data(item);
      return { fields: { ...fields, flags: namedFlags(item.flags, types) }, size, read };
    });

/** Scans the table: groups the items of each bug, which the scan returns together, and collects the lists. */
async function* bugPartitions(
  table: Table,
  lists: ListCollector,
  report: ScanReport,
): AsyncGenerator<Item[]> {
  let partition: Item[] = [];
  for await (const page of scanPages(table, anyItem, { report })) {
    for (const item of page) {
      if (!item.pk.startsWith('BUG#')) {
        lists.add(item);
        continue;
      }
      if (partition[0] !== undefined && partition[0].pk !== item.pk) {
        yield partition;
        partition = [];
      }
      partition.push(item);
    }
  }
  if (partition.length > 0) yield partition;
}

/** Collects the lists other than bugs and products during the scan. */
class ListCollector {
  readonly #groups: GroupItem[] = [];
  readonly #users = new Map<unknown, { user: MailedUser | undefined; keys: object[] }>();
  /** by the ids of users */
  readonly #searches = new Map<number, SavedSearch[]>();
  /** by the ids of users */
  readonly #watches = new Map<number, WatchesItem['watched']>();
  /** by the ids of users */
  readonly #visits = new Map<number, { bug: number; time: string }[]>();
  readonly #classifications: object[] = [];
  readonly #keywords: object[] = [];
  #settings: z.output<typeof bugSettings> | undefined;
  readonly #tags = new Map<string, string>();
  readonly #spellings = new Map<string, Set<string>>();

  add(item: Item): void {
    const sk = item.sk;
    if (sk === 'GROUP') this.#groups.push(groupItem.parse(item));
    else if (sk === 'CLASSIFICATION') this.#classifications.push(classificationItem.parse(item));
    else if (sk === 'FIELDVALUES') this.#settings = bugSettings.parse(item);
    else if (item.pk === 'KEYWORDS') this.#keywords.push(keywordItem.parse(item));
    else if (sk === 'TAG') this.#addTag(tagItem.parse(item).tag);
    else if (item.pk.startsWith('USER#')) this.#addUser(item, sk);
    else if (sk === 'SAVEDSEARCHES') this.#addSearches(item);
    else if (sk === 'WATCHES') this.#addWatches(item);
    else if (item.pk.startsWith('LASTVISIT#')) this.#addVisit(item);
  }

  /** Adds the spelling of a tag on a comment. */
  addSpelling(tag: string): void {
    const spellings = this.#spellings.get(normalizeName(tag)) ?? new Set();
    this.#spellings.set(normalizeName(tag), spellings.add(tag));
  }

  lists(products: ReadonlyMap<number, ProductWithParts>): Record<string, object[] | string[]> {
    const ambiguous = [...this.#tags].filter(([normalized, tag]) => {
      const spellings = this.#spellings.get(normalized);
      return spellings !== undefined && (spellings.size > 1 || !spellings.has(tag));
    });
    const users = [...this.#users.values()];
    const logins = new Map(users.flatMap(({ user }) => (user === undefined ? [] : [[user.id, user.login]])));
    return {
      groups: this.#groups,
      users: users.map(({ user, keys }) => ({
        ...{ ...user, api_keys: keys },
        ...this.#searchesOf(user),
        ...exportWatches(this.#watches.get(user?.id ?? 0) ?? [], logins, products),
        ...(this.#visits.has(user?.id ?? 0) ? { last_visits: this.#visits.get(user?.id ?? 0) } : {}),
      })),
      classifications: this.#classifications,
      keywords: this.#keywords,
      tag_spellings: ambiguous.map(([, tag]) => tag),
    };
  }

  /** The legal values and custom fields of bugs, if the table has its own. */
  get settings(): z.output<typeof bugSettings> | undefined {
    return this.#settings;
  }

  #addTag(tag: string): void {
    this.#tags.set(normalizeName(tag), tag);
  }

  #addSearches(item: Item): void {
    const { user_id, searches } = savedSearchesItem.parse(item);
    this.#searches.set(user_id, searches);
  }

  #addVisit(item: Item): void {
    const { user_id, bug_id, last_visit_ts } = lastVisitItem.parse(item);
    const visits = this.#visits.get(user_id) ?? [];
    visits.push({ bug: bug_id, time: last_visit_ts });
    this.#visits.set(user_id, visits);
  }

  #addWatches(item: Item): void {
    const { user_id, watched } = watchesItem.parse(item);
    this.#watches.set(user_id, watched);
  }

  /** The saved searches of a user; {}: there are none. */
  #searchesOf(user: UserItem | undefined): { saved_searches?: object[] } {
    const searches = this.#searches.get(user?.id ?? 0) ?? [];
    if (searches.length === 0) return {};
    const groups = new Map(this.#groups.map(({ id, name }) => [id, name]));
    return {
      saved_searches: searches.map(({ id, name, query, group_id }) => {
        return { id, name, query, group: groups.get(group_id ?? 0) ?? null };
      }),
    };
  }

  #addUser(item: Item, sk: string): void {
    const entry = this.#users.get(item.pk) ?? { user: undefined, keys: [] };
    this.#users.set(item.pk, entry);
    if (sk === 'USER') {
      const { mail_off = NOTHING_OFF, ...user } = mailedUserItem.parse(item);
      // Without what this version does not know.
      const off = storedMailOff({ roles: mail_off.roles, changes: mail_off.changes });
      entry.user = off === undefined ? user : { ...user, mail_off: off };
    } else {
      const { hash, description, revoked, expires_at, created_at } = userApiKeyItem.parse(item);
      // A session is of one deployment.
      if (expires_at !== undefined) return;
      entry.keys.push({
        ...{ key_sha256: hash, description, revoked },
        ...(created_at === undefined ? {} : { created_at }),
      });
    }
  }
}

/** A bug without its flags and attachments. */
function exportBug(bug: BugItem, place: BugPlace, partition: Item[], lists: ListCollector): object {
  const comments = partition
    .filter((item) => item.sk.startsWith('COMMENT#'))
    .map((item) => commentItem.parse(item));
  for (const tag of comments.flatMap(({ tags }) => tags)) lists.addSpelling(tag);
  const history = partition
    .filter((item) => item.sk.startsWith('HISTORY#'))
    .map((item) => historyItem.parse(item));
  const fields = BUILT_IN_FIELDS.filter(({ catalogue }) => catalogue !== undefined).map((field) => [
    catalogueName(field),
    field.derived === 'place' ? place[field.rest ?? ''] : exportedValue(bug, field),
  ]);
  return {
    ...Object.fromEntries(fields),
    // Sorted, so that exports of copies can be compared.
    ...Object.fromEntries(Object.entries(bug.custom).sort(([a], [b]) => compareNames(a, b))),
    comments: comments.map(
      ({ bug_id: _, count: __, revision: ___, batch: ____, creates_attachment: _____, ...comment }) =>
        comment,
    ),
    history: history.map(({ bug_id: _, ...entry }) => entry),
  };
}

/** The value of a field. A text that an earlier version stored, and that a catalogue may not have now, is repaired. */
function exportedValue(bug: BugItem, field: BugField): StoredValue {
  const value = storedValue(bug, field);
  return typeof value === 'string' ? repairedText(field, value).value : value;
}

/** What catalogues have of the parts of a product: without attributes that this version does not know. */
const ownComponent = z.object(componentItem.shape);
const ownRelease = z.object(releaseItem.shape);
const ownFlagType = z.object(flagTypeItem.shape);

function exportProduct({ product, components, versions, milestones, flagTypes }: ProductWithParts): object {
  const fields = z.object(productFields).parse(product);
  const componentNames = new Map(components.map(({ id, name }) => [id, name]));
  return {
    ...fields,
    group_controls: product.group_controls,
    ...(product.description_template === undefined
      ? {}
      : { description_template: product.description_template }),
    components: components.map((one) => ownComponent.parse(one)),
    versions: versions.map((one) => ownRelease.parse(one)),
    milestones: milestones.map((one) => ownRelease.parse(one)),
    flag_types: flagTypes
      .map((one) => ownFlagType.parse(one))
      .map(({ components: applicable, excluded_components, grant_group, request_group, ...type }) => ({
        ...type,
        grant_group: grant_group?.name ?? null,
        request_group: request_group?.name ?? null,
        components: applicable?.flatMap((id) => componentNames.get(id) ?? []) ?? null,
        excluded_components: excluded_components.flatMap((id) => componentNames.get(id) ?? []),
      })),
  };
}
